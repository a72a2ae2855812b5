package segment

import (
	"strings"
	"testing"
)

func TestEnclitics(t *testing.T) {
	for _, c := range []struct{ language, form, want string }{
		{"es", "dárselo", "dar se lo"}, {"es", "Dárselo", "Dar se lo"}, {"es", "DÁRSELO", "DAR SE LO"},
		{"es", "comprártelos", "comprar te los"}, {"es", "escapársele", "escapar se le"}, {"es", "decírmelo", "decir me lo"},
		{"es", "oírselo", "oír se lo"}, {"es", "leyéndoselas", "leyendo se las"}, {"es", "dímelo", "di me lo"},
		{"es", "cuéntaselo", "cuenta se lo"}, {"es", "tráemela", "trae me la"}, {"es", "parecíasele", "parecía se le"},
		{"es", "compártelo", ""}, {"es", "conviértelo", ""}, {"es", "fírmelo", ""}, {"es", "mételo", ""}, {"es", "bésalo", ""},
		{"es", "Carmelo", ""}, {"es", "artículo", ""}, {"es", "película", ""}, {"es", "x", ""},
		{"es", "ayúdame", "ayuda me"}, {"es", "Dile", "Di le"}, {"es", "hazlo", "haz lo"}, {"es", "mirándola", "mirando la"},
		{"es", "preguntarle", "preguntar le"}, {"es", "pedirte", "pedir te"}, {"es", "ayudarte", "ayudar te"},
		{"es", "síndrome", ""}, {"es", "comparte", ""}, {"es", "convierte", ""}, {"es", "perla", ""}, {"es", "inviernos", ""},
		{"es", "Carlos", ""}, {"es", "Évole", ""}, {"es", "dale", "da le"}, {"es", "fuerte", ""},
		{"it", "dirle", "dir le"}, {"it", "parlarne", "parlar ne"}, {"it", "prenderla", "prender la"}, {"it", "Dandole", "Dando le"},
		{"it", "parti", ""}, {"it", "nervi", ""}, {"it", "esperti", ""}, {"it", "moderne", ""}, {"it", "commerci", ""}, {"it", "parla", ""},
		{"it", "portandoglielo", "portando glie lo"}, {"it", "Dirglielo", "Dir glie lo"}, {"it", "farmelo", "far me lo"},
		{"it", "andarsene", "andar se ne"}, {"it", "DANDOMELA", "DANDO ME LA"},
		{"it", "Carmelo", ""}, {"it", "Marcela", ""}, {"it", "carne", ""}, {"it", "girandola", ""}, {"it", "cervello", ""},
		{"pt", "portandoglielo", ""},
	} {
		if got := strings.Join(splitEnclitics(c.form, c.language), " "); got != c.want {
			t.Errorf("%s %s: %q, want %q", c.language, c.form, got, c.want)
		}
	}
}
