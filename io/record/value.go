package record

import (
	"encoding/hex"
	"encoding/json"
	"math"
	"math/big"
	"strconv"
	"strings"
	"time"

	pq "github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
)

// appendValue appends a value of a column as text: numbers in decimal, times as
// RFC 3339 has them, bytes as they are. It appends nothing for null.
func appendValue(dst []byte, v pq.Value, t pq.Type) []byte {
	if v.IsNull() {
		return dst
	}
	var logical format.LogicalTypeValue
	if l := t.LogicalType(); l != nil {
		logical = l.Value
	}
	switch v.Kind() {
	case pq.Boolean:
		return strconv.AppendBool(dst, v.Boolean())
	case pq.Int32, pq.Int64:
		return appendInt(dst, v, logical)
	case pq.Int96: // nanoseconds of a day, then the Julian day
		x := v.Int96()
		day := (int64(x[2]) - 2440588) * 86400
		return time.Unix(day, int64(uint64(x[1])<<32|uint64(x[0]))).UTC().AppendFormat(dst, "2006-01-02T15:04:05.999999999")
	case pq.Float:
		return strconv.AppendFloat(dst, float64(v.Float()), 'g', -1, 32)
	case pq.Double:
		return strconv.AppendFloat(dst, v.Double(), 'g', -1, 64)
	}
	b := v.ByteArray()
	switch l := logical.(type) {
	case *format.DecimalType:
		if len(b) > maxDecimal {
			break // it would take long to write, and is none
		}
		n := new(big.Int).SetBytes(b)
		if len(b) > 0 && b[0] >= 1<<7 {
			n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
		}
		return append(dst, decimal(n.String(), int(l.Scale))...)
	case *format.UUIDType:
		if len(b) == 16 {
			s := hex.EncodeToString(b)
			return append(dst, s[:8]+"-"+s[8:12]+"-"+s[12:16]+"-"+s[16:20]+"-"+s[20:]...)
		}
	}
	return append(dst, b...)
}

func appendInt(dst []byte, v pq.Value, logical format.LogicalTypeValue) []byte {
	n := int64(0)
	if v.Kind() == pq.Int32 {
		n = int64(v.Int32())
	} else {
		n = v.Int64()
	}
	switch l := logical.(type) {
	case *format.DateType:
		return time.Unix(n*86400, 0).UTC().AppendFormat(dst, "2006-01-02")
	case *format.TimestampType:
		layout := "2006-01-02T15:04:05.999999999"
		if l.IsAdjustedToUTC {
			layout += "Z"
		}
		return instant(n, l.Unit).AppendFormat(dst, layout)
	case *format.TimeType:
		return instant(n, l.Unit).AppendFormat(dst, "15:04:05.999999999")
	case *format.DecimalType:
		return append(dst, decimal(strconv.FormatInt(n, 10), int(l.Scale))...)
	case *format.IntType:
		if !l.IsSigned && v.Kind() == pq.Int32 {
			n = int64(v.Uint32())
		} else if !l.IsSigned {
			return strconv.AppendUint(dst, v.Uint64(), 10)
		}
	}
	return strconv.AppendInt(dst, n, 10)
}

// instant is n units after the epoch.
func instant(n int64, u format.TimeUnit) time.Time {
	switch u.Value.(type) {
	case *format.MilliSeconds:
		return time.UnixMilli(n).UTC()
	case *format.MicroSeconds:
		return time.UnixMicro(n).UTC()
	}
	return time.Unix(0, n).UTC()
}

// maxScale is more than any decimal has behind its point, and maxDecimal more than
// the bytes that the longest ones take.
const (
	maxScale   = 100
	maxDecimal = 64
)

// decimal puts the point into an integer.
func decimal(digits string, scale int) string {
	if scale <= 0 || scale > maxScale {
		return digits
	}
	digits, negative := strings.CutPrefix(digits, "-")
	digits = strings.Repeat("0", max(0, scale+1-len(digits))) + digits
	digits = digits[:len(digits)-scale] + "." + digits[len(digits)-scale:]
	if negative {
		return "-" + digits
	}
	return digits
}

// appendList appends the values of a row of a list as JSON.
func appendList(dst []byte, values []pq.Value, t pq.Type) []byte {
	dst = append(dst, '[')
	for i, v := range values {
		if i > 0 {
			dst = append(dst, ',')
		}
		switch {
		case v.IsNull():
			dst = append(dst, "null"...)
		case isText(v, t):
			s, _ := json.Marshal(string(appendValue(nil, v, t))) // a string never fails
			dst = append(dst, s...)
		default:
			dst = appendValue(dst, v, t)
		}
	}
	return append(dst, ']')
}

// isText reports whether what appendValue writes is a string in JSON.
func isText(v pq.Value, t pq.Type) bool {
	if l := t.LogicalType(); l != nil {
		switch l.Value.(type) {
		case *format.DecimalType:
			return v.Kind() != pq.Int32 && v.Kind() != pq.Int64 && len(v.ByteArray()) > maxDecimal
		case *format.DateType, *format.TimestampType, *format.TimeType:
			return true
		}
	}
	switch v.Kind() {
	case pq.ByteArray, pq.FixedLenByteArray, pq.Int96:
		return true
	case pq.Float: // JSON has no numbers NaN and Inf
		return notFinite(float64(v.Float()))
	case pq.Double:
		return notFinite(v.Double())
	}
	return false
}

func notFinite(x float64) bool { return math.IsNaN(x) || math.IsInf(x, 0) }
