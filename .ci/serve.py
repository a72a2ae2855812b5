"""Talks to treebeam serve as clients of UDPipe do, and checks its formats with UDPipe.

usage: serve.py ADDRESS TEXT...

ADDRESS is that of a running server, such as http://localhost:8080; TEXTs are files
to parse. Needs the packages ufal.udpipe (the library of UDPipe 1: it reads and
writes all formats), and anonymize-mcp with httpx (a client of LINDAT's services, whose
module for UDPipe is called as it is, with another address).
"""

import asyncio
import email.mime.multipart
import email.mime.nonmultipart
import email.policy
import json
import sys
import urllib.error
import urllib.parse
import urllib.request

import anonymize_mcp.udpipe as lindat
import ufal.udpipe as udpipe

address, texts = sys.argv[1].rstrip("/"), sys.argv[2:]
failed = 0


def check(what, got, want):
    global failed
    if got != want:
        failed += 1
        print(f"{what}: got\n{got!r:.3000}\nwant\n{want!r:.3000}", file=sys.stderr)


def by_parts(parameters):
    """A request as UDPipe 2's own client sends it: parts made by the package email."""
    form = email.mime.multipart.MIMEMultipart("form-data", policy=email.policy.HTTP)
    for name, value in parameters.items():
        part = email.mime.nonmultipart.MIMENonMultipart("text", "plain")
        part.add_header("Content-Disposition", f'form-data; name="{name}"')
        part.add_header("Content-Transfer-Encoding", "8bit")
        part.set_payload(value, charset="utf-8")
        form.attach(part)
    body = form.as_bytes().split(b"\r\n\r\n", maxsplit=1)[1]
    return urllib.request.Request(f"{address}/process", body, {"Content-Type": form["Content-Type"]})


def by_form(parameters):
    return urllib.request.Request(f"{address}/process", urllib.parse.urlencode(parameters).encode())


def by_url(parameters):
    return urllib.request.Request(f"{address}/process?{urllib.parse.urlencode(parameters)}")


def process(send=by_form, **parameters):
    with urllib.request.urlopen(send(parameters)) as response:
        answer = json.load(response)
    check("keys", list(answer), ["model", "acknowledgements", "result"])
    return answer["result"]


def convert(text, source, target):
    """Reads and writes with UDPipe's library."""
    reader, writer = udpipe.InputFormat.newInputFormat(source), udpipe.OutputFormat.newOutputFormat(target)
    reader.setText(text)
    sentence, error, out = udpipe.Sentence(), udpipe.ProcessingError(), []
    while reader.nextSentence(sentence, error):
        out.append(writer.writeSentence(sentence))
        sentence = udpipe.Sentence()
    if error.occurred():
        raise SystemExit(f"UDPipe cannot read {source}: {error.message}")
    return "".join(out) + writer.finishDocument()


def body(conllu):
    """The result without the comments that say who made it."""
    return conllu.split("\n", maxsplit=2)[2]


with urllib.request.urlopen(f"{address}/models") as response:
    models = json.load(response)
check("models", models["models"][models["default_model"]], ["tokenizer", "tagger", "parser"])
check("names", [name in models["models"] for name in ("english-accurate", "english-fast")], [True, True])

steps = {"tokenizer": "ranges", "tagger": "", "parser": ""}
formats = ["conllu", "horizontal", "horizontal=paragraphs", "vertical", "vertical=paragraphs", "plaintext", "plaintext=normalized_spaces"]
sentences = 0
for path in texts:
    text = open(path, encoding="utf-8", newline="").read()
    parsed = process(data=text, **steps)
    sentences += parsed.count("# sent_id")
    check(f"{path}, by UDPipe", convert(parsed, "conllu", "conllu"), parsed)
    for target in formats[1:]:
        check(f"{path} as {target}", process(data=text, output=target, **steps), convert(parsed, "conllu", target))
        check(f"{path}, parsed, as {target}", process(data=parsed, output=target), convert(parsed, "conllu", target))
    check(f"{path}, put together again", process(data=text, output="plaintext", **steps), text)
    for source in ("horizontal", "vertical"):
        cut = convert(parsed, "conllu", source)
        check(f"{path}, from {source}", body(process(data=cut, input=source)), convert(cut, source, "conllu"))
        check(f"{path}, from {source}", body(process(data=cut, input=source + "=paragraphs")), convert(cut, source, "conllu"))
    # The client of UDPipe 2 always says which format the input has, and sends CR LF.
    check(f"{path}, by parts", process(by_parts, data=text, input="conllu", output="conllu", model="english", **steps), process(data=text.replace("\n", "\r\n"), **steps))

short = "Nobody said so.\n"
check("by URL", process(by_url, data=short, **steps), process(data=short, **steps))
for parameters, want in (({"data": "x", "model": "klingon"}, "The requested model 'klingon' does not exist.\n"), ({}, "The parameter 'data' is required.\n")):
    try:
        process(by_parts, **parameters)
        check("an error", "none", want)
    except urllib.error.HTTPError as e:
        check("an error", (e.code, e.read().decode()), (400, want))

lindat.UDPIPE_URL = f"{address}/process"
story = "The naïve boat wasn't theirs to sell. 👍 It sank off Cádiz, nobody said why."
answer = asyncio.run(lindat.analyze(story, model="english", include_parse=True, include_ranges=True))
check("LINDAT's client", (answer["model"], answer["sentence_count"] > 1), ("english-accurate", True))
for sentence in answer["sentences"]:
    check("heads", [t["head"] for t in sentence].count(0), 1)
    for token in sentence:
        if "token_range" in token:
            check("a range", story[slice(*token["token_range"])], token["form"])
without = asyncio.run(lindat.analyze(story, model="english"))
check("without trees", [[t["lemma"] for t in s] for s in without["sentences"]], [[t["lemma"] for t in s] for s in answer["sentences"]])

print(f"serve: {len(texts)} texts, {sentences} sentences, {len(formats)} formats of output; {failed} differences")
sys.exit(failed > 0)
