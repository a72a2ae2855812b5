# The program alone: static, with the certificates that gs:// and s3:// need and
# a folder for temporary files. docs/deploy.md says how to run it.
#
#   docker build --build-arg VERSION=$(git describe --tags --always --dirty) -t treebeam .

FROM --platform=$BUILDPLATFORM golang:1.26 AS build
ARG TARGETOS=linux
ARG TARGETARCH=amd64
ARG VERSION=
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
RUN CGO_ENABLED=0 GOOS=$TARGETOS GOARCH=$TARGETARCH go build -trimpath -tags disable_grpc_modules \
      -ldflags "-s -w -X github.com/treebeam/treebeam/pipeline.release=$VERSION" \
      -o /image/usr/bin/treebeam ./cmd/treebeam
RUN mkdir -p /image/tmp /image/data /image/etc/ssl/certs && \
    chmod 1777 /image/tmp /image/data && \
    cp /etc/ssl/certs/ca-certificates.crt /image/etc/ssl/certs/ && \
    echo '127.0.0.1 localhost' >/image/etc/hosts && \
    echo 'treebeam:x:65532:65532:treebeam:/tmp:/usr/bin/treebeam' >/image/etc/passwd

FROM scratch
COPY --from=build /image /
USER 65532:65532
ENV HOME=/tmp
WORKDIR /data
ENTRYPOINT ["/usr/bin/treebeam"]
