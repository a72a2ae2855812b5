'use strict';
// Shows a sentence of the file, and sends what the reader changes in it. Whatever comes
// from the server is shown as text; pictures are read as XML, and the page's policy runs
// no script in them.
(() => {
  const get = (id) => document.getElementById(id);
  const status = get('status'), error = get('error'), remarks = get('remarks'), picture = get('picture');
  const fields = { head: get('head'), deprel: get('deprel'), upos: get('upos') };
  let sheet = null; // the sentence that is shown
  let chosen = 0; // the word, from 1; 0 is none
  let waits = false; // for a click on the head of the chosen word
  let turn = Promise.resolve(); // the last thing that is to be done
  let era = 0; // errors so far: what was asked for before one is not done after it
  let trial = null; // what the last trial can be stopped with
  let later = 0; // timer of the next one
  let dragged = 0; // the word that is held
  let offered = { at: -1 }; // what the model says about the sentence
  let advice = null; // what the last question to it can be stopped with

  const percent = (p) => `${Math.round(p * 1000) / 10} %`;

  // ask sends a request; its error has the status and what the server says.
  async function ask(path, body, signal) {
    let response;
    try {
      response = await fetch(path, body ? { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body), signal } : { signal });
    } catch (e) {
      if (e.name === 'AbortError') throw e;
      throw new Error('The server cannot be reached. Load this page again to see what was saved.');
    }
    if (response.ok) return response.json();
    throw Object.assign(new Error((await response.text()).trim() || `status ${response.status}`), { status: response.status });
  }

  // act does, one thing after another, what make says when its turn comes: a path, a body
  // and what to tell of the sentence that is the answer; or nothing.
  function act(make) {
    const own = era;
    turn = turn.then(() => (own === era ? perform(make) : undefined));
  }

  async function perform(make) {
    try {
      const [path, body, told] = make() || [];
      if (!path) return;
      error.textContent = '';
      const same = sheet;
      const next = await ask(path, body);
      if (!same || same.at !== next.at) chosen = 0;
      show(next);
      status.textContent = told ? told(next) : '';
    } catch (e) {
      era++;
      if (e.status === 409) {
        try { show(await ask(`sentence?at=${sheet.at}`)); } catch { /* the error below is shown */ }
      }
      error.textContent = e.message;
      status.textContent = '';
    }
  }

  const load = (at) => act(() => [`sentence?at=${at}`]);
  const step = (by) => act(() => sheet && sheet.at + by >= 0 && sheet.at + by < sheet.of && [`sentence?at=${sheet.at + by}`]);
  const form = (w) => sheet.words[w - 1].Form;
  const tie = (w) => (w.Head < 0 ? 'without a head' : w.Head === 0 ? 'the root' : `${w.Deprel} of ${form(w.Head)}`);

  // change sends other values of a word, or none of word 0: the sentence is right.
  function change(values) {
    if (!sheet) return;
    const { at } = sheet;
    let before;
    const told = (now) => {
      if (!values.word) return 'Saved: the sentence is right.';
      const others = now.words.map((w, i) => i + 1).filter((w) => w !== values.word && now.words[w - 1].Head !== before.words[w - 1].Head);
      const said = `Saved: ${form(values.word)} is ${tie(now.words[values.word - 1])}.`;
      return others.length ? `${said} Now choose the relation of ${others.map(form).join(', ')}.` : said;
    };
    act(() => {
      before = sheet;
      return sheet.at === at && ['change', { at, version: sheet.version, word: 0, ...values }, told];
    });
  }

  const undo = () => act(() => sheet && sheet.changes && ['undo', { changes: sheet.changes }, () => 'The last change is undone.']);

  // show draws a sentence and makes its words respond.
  function show(next) {
    sheet = next;
    dragged = 0;
    get('sheet').hidden = false;
    get('at').value = sheet.at + 1;
    get('at').max = sheet.of;
    get('of').textContent = `of ${sheet.of}`;
    get('previous').disabled = sheet.at === 0;
    get('next').disabled = sheet.at + 1 === sheet.of;
    get('undo').disabled = !sheet.changes;
    get('text').textContent = sheet.text;
    get('about').textContent = [sheet.id, sheet.conf >= 0 ? `parsed right with a probability of ${percent(sheet.conf)}` : '',
      sheet.corrected ? `corrected ${sheet.corrected}` : ''].filter(Boolean).join(' · ');
    const svg = new DOMParser().parseFromString(sheet.svg, 'image/svg+xml').documentElement;
    svg.setAttribute('role', 'group'); // a picture would hide its words from readers of screens
    const labels = [...svg.querySelectorAll('.label')];
    const tags = [...svg.querySelectorAll('.tag')];
    [...svg.querySelectorAll('.form')].forEach((e, i) => {
      const w = sheet.words[i];
      e.dataset.word = i + 1;
      e.setAttribute('role', 'button');
      e.setAttribute('tabindex', '0');
      e.setAttribute('aria-label', `${i + 1} ${w.Form}, ${w.UPOS || 'no tag'}, ${tie(w)}`);
      e.addEventListener('click', () => press(i + 1));
      e.addEventListener('keydown', (k) => { if (k.key === 'Enter' || k.key === ' ') { k.preventDefault(); k.stopPropagation(); press(i + 1); } });
      e.addEventListener('pointerdown', () => { dragged = i + 1; });
      e.addEventListener('pointerup', () => {
        const from = dragged;
        dragged = 0;
        if (from && from !== i + 1) change({ word: from, head: i + 1 });
      });
      tags[i].addEventListener('click', () => edit(i + 1, 'upos'));
      if (w.Head >= 0 && w.Head <= sheet.words.length && w.Head !== i + 1) labels.shift().addEventListener('click', () => edit(i + 1, 'deprel'));
    });
    const focused = picture.contains(document.activeElement) && document.activeElement.dataset.word;
    picture.replaceChildren(svg);
    if (focused) picture.querySelector(`.form[data-word="${focused}"]`)?.focus();
    choose(chosen, false);
    consult();
  }

  // consult asks what the words of the sentence may have, as its tree is now.
  async function consult() {
    if (!get('offers')) return;
    if (advice) advice.abort();
    const own = advice = new AbortController();
    if (offered.at === sheet.at && offered.version === sheet.version) return;
    try {
      const told = await ask(`offers?at=${sheet.at}`, undefined, own.signal);
      if (own === advice) offered = told;
    } catch { /* the page works without them */ }
    if (own === advice) offer();
  }

  const has = (column) => { const w = sheet.words[chosen - 1]; return { head: w.Head, deprel: w.Deprel, upos: w.UPOS }[column]; };
  const offers = (column) => (chosen && sheet && offered.at === sheet.at && offered.words[chosen - 1][column]) || [];

  // take gives the chosen word what is offered, and says whether anything is.
  function take(column, n) {
    const o = offers(column)[n];
    if (!o) return false;
    if (o.value !== has(column)) change({ word: chosen, [column]: o.value });
    return true;
  }

  // offer shows what the chosen word may have.
  function offer() {
    if (!get('offers')) return;
    get('offers').hidden = !offers('upos').length;
    for (const row of get('offers').querySelectorAll('[data-column]')) {
      const { column } = row.dataset;
      row.replaceChildren(...offers(column).map((o, n) => {
        const button = document.createElement('button');
        button.type = 'button';
        const name = column !== 'head' ? o.value : o.value ? form(o.value) : 'the root';
        button.textContent = `${n + 1}: ${name} ${percent(o.p)}`;
        const is = o.value === has(column);
        button.setAttribute('aria-pressed', is);
        button.disabled = is;
        button.addEventListener('click', () => take(column, n));
        return button;
      }));
    }
  }

  // say lists what the rules say; each remark leads to its word.
  function say(list) {
    remarks.replaceChildren(...list.map((r) => {
      const item = document.createElement('li');
      item.textContent = r.word ? `${r.word} ${form(r.word)}: ${r.reason}` : r.reason;
      if (r.word) item.addEventListener('click', () => choose(r.word, true));
      return item;
    }));
  }

  // choose makes a word the one that keys and fields are about. What was said of values that
  // were typed goes with them.
  function choose(word, click) {
    forget();
    say(sheet.remarks);
    error.textContent = '';
    chosen = word;
    waits = click && word > 0;
    for (const e of picture.querySelectorAll('.form')) {
      const is = Number(e.dataset.word) === word;
      e.classList.toggle('chosen', is);
      e.setAttribute('aria-pressed', is);
      if (is && click) e.scrollIntoView({ block: 'nearest', inline: 'nearest' });
    }
    get('word').hidden = !word;
    offer();
    if (!word) return;
    const w = sheet.words[word - 1];
    get('form').textContent = `${word} ${w.Form}`;
    fields.head.value = w.Head < 0 ? '' : w.Head;
    fields.head.max = sheet.words.length;
    fields.deprel.value = w.Deprel;
    fields.upos.value = w.UPOS;
    get('root').disabled = w.Head === 0;
    if (waits) status.textContent = `${w.Form}: now click its head, or press h, r or t.`;
  }

  // press is a click on a word: the first chooses it, the second, on another word, its head.
  function press(word) {
    if (waits && chosen !== word) change({ word: chosen, head: word });
    else choose(word, !(waits && chosen === word));
  }

  function edit(word, name) {
    choose(word, true);
    waits = false;
    fields[name].focus();
    fields[name].select();
  }

  // typed are the values in the fields that differ from those of the chosen word.
  function typed() {
    const w = sheet.words[chosen - 1], values = {};
    const head = fields.head.value === '' ? -1 : Number(fields.head.value);
    if (head !== w.Head && head >= 0) values.head = head;
    if (fields.deprel.value.trim() !== w.Deprel) values.deprel = fields.deprel.value.trim();
    const tag = fields.upos.value.trim();
    if (tag !== w.UPOS && tag.toUpperCase() !== w.UPOS) values.upos = tag.toUpperCase();
    return values;
  }

  // forget stops the trial of what was typed.
  function forget() {
    clearTimeout(later);
    if (trial) trial.abort();
    trial = null;
  }

  // consider asks what the rules would say to what is typed, while it is.
  function consider() {
    forget();
    later = setTimeout(async () => {
      const own = trial = new AbortController();
      if (!chosen) return;
      try {
        const values = typed();
        const list = Object.keys(values).length ? await ask('try', { at: sheet.at, version: sheet.version, word: chosen, ...values }, own.signal) : sheet.remarks;
        if (own === trial) { error.textContent = ''; say(list); }
      } catch (e) {
        if (own === trial && e.name !== 'AbortError') error.textContent = e.message;
      }
    }, 150);
  }

  Object.values(fields).forEach((f) => f.addEventListener('input', consider));
  get('word').addEventListener('submit', (e) => {
    e.preventDefault();
    forget();
    const values = typed();
    if (Object.keys(values).length) change({ word: chosen, ...values });
    document.activeElement.blur();
  });
  get('root').addEventListener('click', () => change({ word: chosen, head: 0 }));
  get('right').addEventListener('click', () => change({}));
  get('undo').addEventListener('click', undo);
  get('previous').addEventListener('click', () => step(-1));
  get('next').addEventListener('click', () => step(1));
  get('at').addEventListener('change', () => {
    if (sheet) load(Math.min(Math.max(Math.trunc(Number(get('at').value)) || 1, 1), sheet.of) - 1);
  });
  document.addEventListener('pointerup', (e) => { if (!e.target.closest || !e.target.closest('.form')) dragged = 0; });
  document.addEventListener('keydown', (e) => {
    if (!sheet || e.altKey || e.isComposing) return;
    const inField = e.target.tagName === 'INPUT';
    if (e.key === 'Escape') {
      if (inField) e.target.blur();
      choose(0, false);
      status.textContent = '';
      return;
    }
    if (inField) {
      const column = e.target.id;
      if (column !== 'head' && fields[column] && /^[1-5]$/.test(e.key) && take(column, e.key - 1)) {
        e.preventDefault();
        e.target.blur();
      }
      return;
    }
    if (e.ctrlKey || e.metaKey) {
      if (e.key === 'z') { e.preventDefault(); undo(); }
      return;
    }
    const n = sheet.words.length;
    const move = (by) => choose(Math.min(Math.max(chosen ? chosen + by : by > 0 ? 1 : n, 1), n), true);
    const actions = {
      ArrowLeft: () => move(-1), ArrowRight: () => move(1),
      h: () => chosen && edit(chosen, 'head'), r: () => chosen && edit(chosen, 'deprel'), t: () => chosen && edit(chosen, 'upos'),
      0: () => chosen && sheet.words[chosen - 1].Head !== 0 && change({ word: chosen, head: 0 }),
      ...Object.fromEntries([1, 2, 3, 4, 5].map((n) => [n, () => take('head', n - 1)])),
      y: () => change({}), u: undo, n: () => step(1), p: () => step(-1),
    };
    if (Object.hasOwn(actions, e.key)) { e.preventDefault(); actions[e.key](); }
  });

  // follow shows how far the adaptation of the model is, until it ends.
  async function follow(begin) {
    try {
      const now = await ask('adapt', begin);
      get('adapt').disabled = now.running;
      get('adapting').classList.toggle('error', now.failed);
      get('adapting').textContent = now.running ? `Learning from ${now.sentences} sentences; this takes a minute or more.` : now.verdict;
      get('lines').textContent = now.lines.join('\n');
      get('lines').hidden = !now.lines.length;
      if (now.running) setTimeout(follow, 500);
    } catch (e) {
      get('adapt').disabled = false;
      get('adapting').classList.add('error');
      get('adapting').textContent = e.message;
    }
  }
  if (get('adapt')) {
    get('adapt').addEventListener('click', () => act(() => { follow({}); })); // after the changes before it
    follow();
  }
  load(0);
})();
