'use strict';
// Sends the text of the form to /tree and shows the answer. Whatever comes from the
// answer is shown as text; pictures are read as XML, and the page's policy runs no
// script in them.
(() => {
  const get = (id) => document.getElementById(id);
  const form = get('form'), text = get('text'), model = get('model'), status = get('status'), error = get('error'), trees = get('trees');
  const button = form.querySelector('button');
  let asked = null; // what the last request can be stopped with
  let conllu = ''; // of all sentences

  const make = (name, options = {}, ...children) => {
    const e = document.createElement(name);
    for (const [key, value] of Object.entries(options)) {
      if (key === 'text') e.textContent = value;
      else e.setAttribute(key, value);
    }
    e.append(...children);
    return e;
  };
  const percent = (p) => (p < 0 ? 'not known' : `${Math.round(p * 1000) / 10} %`);
  const many = (n, thing) => `${n} ${thing}${n === 1 ? '' : 's'}`;

  // copy puts a text into the clipboard; where the browser has none for pages
  // without TLS, a selected field does it.
  async function copy(what, value) {
    try {
      if (navigator.clipboard) await navigator.clipboard.writeText(value);
      else {
        const field = make('textarea', { readonly: '', 'aria-hidden': 'true' });
        field.value = value;
        document.body.append(field);
        field.select();
        const done = document.execCommand('copy');
        field.remove();
        if (!done) throw new Error('the browser refused');
      }
      status.textContent = `${what} copied.`;
    } catch (e) {
      error.textContent = `${what} could not be copied: ${e.message}.`;
    }
  }

  function copyButton(what, value) {
    const b = make('button', { type: 'button', text: `Copy ${what}` });
    b.addEventListener('click', () => copy(what, value()));
    return b;
  }

  // table is the tree as a table, for reading it word by word.
  function table(sentence) {
    const head = make('tr', {}, ...['#', 'Form', 'Lemma', 'UPOS', 'right', 'XPOS', 'Features', 'Head', 'right', 'Relation', 'both right'].map((t) => make('th', { scope: 'col', text: t })));
    const rows = sentence.words.map((w, i) => {
      const under = w.Head > 0 ? `${w.Head} ${sentence.words[w.Head - 1].Form}` : 'root';
      const cells = [w.Lemma, w.UPOS, percent(w.UPOSConf), w.XPOS, w.Feats.replaceAll('|', ' '), under, percent(w.HeadConf), w.Deprel, percent(w.DeprelConf)];
      return make('tr', {}, make('td', { class: 'number', text: i + 1 }), make('th', { scope: 'row', text: w.Form }), ...cells.map((t) => make('td', { text: t })));
    });
    const all = make('table', {}, make('thead', {}, head), make('tbody', {}, ...rows));
    all.prepend(make('caption', { class: 'soft', text: 'Words, heads and the probability that each is right' }));
    return make('details', {}, make('summary', { text: 'Words as a table' }), make('div', { class: 'words', tabindex: '0', role: 'region', 'aria-label': 'Words as a table' }, all));
  }

  function show(sentence, n) {
    const svg = new DOMParser().parseFromString(sentence.svg, 'image/svg+xml').documentElement;
    const id = `sentence${n}`;
    const label = `Dependency tree of: ${sentence.text}`;
    svg.setAttribute('aria-label', label);
    const section = make('section', { 'aria-labelledby': id },
      make('h2', { id, text: sentence.text }),
      make('div', { class: 'picture', tabindex: '0', role: 'region', 'aria-label': label }, svg));
    let least = null;
    sentence.words.forEach((w) => { if (w.DeprelConf >= 0 && (!least || w.DeprelConf < least.DeprelConf)) least = w; });
    if (sentence.conf >= 0 || least) {
      const parts = [];
      if (sentence.conf >= 0) parts.push(`The whole tree is right with a probability of ${percent(sentence.conf)}.`);
      if (least) parts.push(`Least certain: ${least.Form} (${least.Deprel}), ${percent(least.DeprelConf)}.`);
      section.append(make('p', { text: parts.join(' ') }));
    }
    section.append(
      make('div', { class: 'bar' }, copyButton('CoNLL-U', () => sentence.conllu), copyButton('SVG', () => sentence.svg)),
      table(sentence));
    return section;
  }

  async function parse() {
    if (asked) asked.abort();
    const own = asked = new AbortController();
    button.disabled = true;
    error.textContent = '';
    status.textContent = 'Parsing …';
    try {
      const response = await fetch('tree', { method: 'POST', body: new URLSearchParams({ data: text.value, model: model.value }), signal: own.signal });
      if (!response.ok) throw new Error((await response.text()).trim() || `status ${response.status}`);
      const answer = await response.json();
      if (own !== asked) return;
      trees.replaceChildren(...answer.sentences.map(show));
      conllu = answer.sentences.map((s) => s.conllu).join('');
      get('all').hidden = answer.sentences.length < 2;
      const words = answer.sentences.reduce((n, s) => n + s.words.length, 0);
      status.textContent = answer.sentences.length === 0 ? 'There are no words in this text.' :
        `${many(answer.sentences.length, 'sentence')}, ${many(words, 'word')}, by ${answer.model}.${answer.more ? ' The text has more sentences; these are the first.' : ''}`;
    } catch (e) {
      if (own !== asked) return;
      status.textContent = '';
      error.textContent = e instanceof TypeError ? 'The server cannot be reached.' : e.message;
    } finally {
      if (own === asked) button.disabled = false;
    }
  }

  form.addEventListener('submit', (e) => { e.preventDefault(); parse(); });
  model.addEventListener('change', parse);
  text.addEventListener('keydown', (e) => { if (e.key === 'Enter' && (e.ctrlKey || e.metaKey)) { e.preventDefault(); parse(); } });
  get('copyall').addEventListener('click', () => copy('CoNLL-U', conllu));
  parse();
})();
