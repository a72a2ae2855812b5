package transforms_test

import (
	"context"
	"fmt"
	"log"
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/x/beamx"

	"github.com/treebeam/treebeam/transforms"
)

// A Review is a row as bigqueryio.Read gives it, and a Verb one as bigqueryio.Write
// takes it.
type (
	Review struct{ ReviewID, Shop, Body string }
	Verb   struct{ Shop, Lemma, Subject string }
)

func init() {
	beam.RegisterType(reflect.TypeFor[Review]())
	beam.RegisterType(reflect.TypeFor[Verb]())
	register.Function1x1(documentOf)
	register.Function2x0(verbs)
	register.Emitter1[Verb]()
	register.Function1x0(printVerb)
}

// From rows to rows. Meta carries columns from one to the other.
func Example_rows() {
	p, s := beam.NewPipelineWithRoot()
	reviews := beam.Create(s, Review{"r1", "Antico", "The waiter smiled."}) // or bigqueryio.Read
	trees, _ := transforms.ParseDocuments(s, beam.ParDo(s, documentOf, reviews), transforms.Options{})
	beam.ParDo0(s, printVerb, beam.ParDo(s, verbs, trees)) // or bigqueryio.Write
	if err := beamx.Run(context.Background(), p); err != nil {
		log.Fatal(err)
	}
	// Output: {Antico smile waiter}
}

func documentOf(r Review) transforms.Document {
	return transforms.NewDocument(r.ReviewID, r.Body, transforms.KeyValue{Key: "shop", Value: r.Shop})
}

func verbs(t transforms.Tree, emit func(Verb)) {
	for i, deprel := range t.Deprel {
		if head := t.Head[i] - 1; deprel == "nsubj" && t.UPOS[head] == "VERB" {
			emit(Verb{t.Meta[0].Value, t.Lemmas[head], t.Lemmas[i]})
		}
	}
}

func printVerb(v Verb) { fmt.Println(v) }
