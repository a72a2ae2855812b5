// Corrects trees on the page of treebeam serve --edit in a real browser, as a person would.
//
// usage: node edit.mjs PLAYWRIGHT CHROMIUM FOLDER FILE ADDRESS
//
// The server at ADDRESS corrects FILE, which has the three sentences of sentences() in
// run_browser, the least certain one last; screenshots go to FOLDER. Clicks, drags and
// types corrections and looks at the file after each. Undoes all: the file must be as it
// was. The server was started with --adapt mine.tbm, in the folder of FILE. Fails also if the page logs anything, asks anybody but its server, or does not
// pass measure.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { launch, measure } from './measure.mjs';

const [playwright, chromium, folder, file, address] = process.argv.slice(2);
const problems = [];
const browser = await launch(playwright, chromium);
const text = () => readFileSync(file, 'utf8');
const first = text();
for (const [name, width, scheme] of [['light', 1280, 'light'], ['dark', 1280, 'dark'], ['narrow', 360, 'light']]) {
  const note = (what) => problems.push(`edit, ${name}: ${what}`);
  const check = (ok, what) => { if (!ok) note(what); };
  const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme: scheme });
  const open = async () => {
    const page = await context.newPage();
    page.setDefaultTimeout(20000);
    page.on('console', (message) => note(`the console says: ${message.text()}`));
    page.on('pageerror', (error) => note(`error: ${error}`));
    page.on('dialog', (dialog) => { note(`a dialog: ${dialog.message()}`); dialog.dismiss(); });
    page.on('request', (request) => { if (!request.url().startsWith(address) && !request.url().startsWith('data:')) note(`it asks for ${request.url()}`); });
    await page.goto(address, { waitUntil: 'load' });
    await page.waitForSelector('svg.tree');
    return page;
  };
  try {
    const page = await open();
    const pause = () => page.evaluate(() => new Promise((done) => { setTimeout(done, 500); })); // for what must not come
    const says = (id, part) => page.waitForFunction(([id, part]) => document.getElementById(id).textContent.includes(part), [id, part]);
    const word = (n) => page.locator(`svg .form[data-word="${n}"]`);
    const line = (part) => text().split('\n').filter((l) => l.includes(part)).join('\n');
    check((await page.locator('#text').textContent()) === 'He saw <b>the</b> moon with her .', 'the least certain sentence is not the first one');
    check(await page.locator('main b').count() === 0, 'the text became a part of the page');
    const roles = await page.locator('body').ariaSnapshot();
    for (const role of ['button "Next"', 'spinbutton "Sentence"', 'heading', 'button "4 moon, NOUN, obj of saw"']) check(roles.includes(role), `a reader of screens finds no ${role}`);

    // By clicks: the word, then its head.
    await word(6).click();
    await says('status', 'her: now click its head');
    await word(2).click();
    await says('status', 'Saved: her is nmod of saw');
    check(line('\ther\t').includes('\t2\tnmod\t'), `the file has ${line('\ther\t')}`);
    check(/# corrected = 20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ Ann/.test(text()), 'the file does not say who corrected it, and when');

    // By keys alone: the relation, with what the rules say while one types.
    await page.keyboard.press('r');
    check(await page.evaluate(() => document.activeElement.id) === 'deprel', 'the key r does not lead to the relation');
    await page.keyboard.type('aux');
    await says('remarks', 'aux does not suit the tag PRON');
    check(line('\ther\t').includes('\tnmod\t'), 'it was saved before Enter');
    await page.locator('#deprel').fill('nonsense');
    await says('error', 'not a relation of Universal Dependencies');
    await page.locator('#deprel').fill('obl');
    await page.waitForFunction(() => document.getElementById('error').textContent === '');
    await page.keyboard.press('Enter');
    await says('status', 'Saved: her is obl of saw');
    check(line('\ther\t').includes('\t2\tobl\t'), `the file has ${line('\ther\t')}`);
    await page.keyboard.press('Escape');

    // What the rules say to what was typed goes with it.
    for (const [typed, id, told] of [['aux', 'remarks', 'aux does not suit'], ['nonsense', 'error', 'not a relation']]) {
      await word(6).click();
      await page.keyboard.press('r');
      await page.locator('#deprel').fill(typed);
      await says(id, told);
      await page.locator('#deprel').blur();
      await word(3).click();
      check(!(await page.locator(`#${id}`).textContent()).includes(told), `the page still says that ${told}, of a word that is not chosen`);
      await page.keyboard.press('Escape');
    }

    // By what the model offers: heads, relations and tags by their probability.
    await word(6).click();
    const offers = (column) => page.locator(`#offers [data-column="${column}"] button`);
    await offers('head').first().waitFor();
    for (const column of ['head', 'deprel', 'upos']) {
      const shares = (await offers(column).allTextContents()).map((t) => Number(t.match(/([\d.]+) %$/)[1]));
      check(shares.length > 0 && shares.every((p, i) => !i || p <= shares[i - 1]) && shares.reduce((a, b) => a + b) < 101, `${column} has the probabilities ${shares}`);
    }
    check(await offers('head').count() > 1, 'one head alone is offered');
    await page.locator('#offers [data-column="head"] button:not([disabled])').first().click();
    await says('status', 'Saved: her is');
    await page.keyboard.press('u');
    await says('status', 'undone');
    // After another head, other relations; a digit in the field takes one.
    await page.keyboard.press('Escape');
    await word(6).click();
    await word(4).click();
    await says('status', 'Saved: her is obl of moon');
    await page.waitForFunction(() => /nmod/.test(document.querySelector('#offers [data-column="deprel"] button')?.textContent));
    await page.keyboard.press('r');
    await page.keyboard.press('1');
    await says('status', 'Saved: her is nmod of moon');
    check(await page.evaluate(() => document.activeElement.id) !== 'deprel', 'the field of the relation keeps the keys');
    for (const left of [1, 0]) {
      await page.keyboard.press('u');
      await page.waitForFunction((is) => document.querySelector('.form[data-word="6"]').getAttribute('aria-label').endsWith(is), left ? 'obl of moon' : 'obl of saw');
    }
    // What the model says of a tree that was undone meanwhile comes too late.
    const row = page.locator('#offers [data-column="deprel"]');
    await pause();
    const said = await row.textContent();
    let answer;
    const asked = new Promise((done) => { answer = done; });
    await page.route('**/offers?*', async (route) => { await asked; await route.continue().catch(() => {}); });
    await word(6).click();
    await word(4).click();
    await says('status', 'Saved: her is obl of moon');
    await page.keyboard.press('u');
    await says('status', 'undone');
    answer();
    await pause();
    check((await row.textContent()) === said, 'what is offered is for another tree');
    await page.unroute('**/offers?*');
    await page.keyboard.press('Escape');

    // One sentence is too few to learn from.
    await page.locator('#adapt').click();
    await says('adapting', 'Correct at least 2 sentences');

    // By dragging.
    const middle = async (n) => { const b = await word(n).boundingBox(); return [b.x + b.width / 2, b.y + b.height / 2]; };
    await word(7).scrollIntoViewIfNeeded();
    await page.mouse.move(...await middle(7));
    await page.mouse.down();
    await word(4).evaluate((e) => e.scrollIntoView({ block: 'nearest', inline: 'nearest' }));
    await page.mouse.move(...await middle(4));
    await page.mouse.up();
    await says('status', 'Saved: . is punct of moon');
    check(line('PUNCT').includes('\t4\tpunct\t'), `the file has ${line('PUNCT')}`);

    // A word that is held while another sentence comes is none of that.
    const held = text();
    const goes = async (key, at) => {
      await page.keyboard.press(key);
      await page.waitForFunction((is) => document.getElementById('at').value === is, at);
    };
    await page.mouse.move(...await middle(1));
    await page.mouse.down();
    await goes('n', '2');
    await page.mouse.move(...await middle(2));
    await page.mouse.up();
    await pause();
    check(text() === held, 'a word of another sentence was moved');
    await goes('p', '1');

    // What is no tree is refused; a new root takes the place of the old one.
    const before = text();
    await word(2).click();
    await word(4).click();
    await says('error', 'saw is the root');
    check(text() === before, 'a tree without a root was saved');
    await page.keyboard.press('Escape');
    await word(4).click();
    await page.keyboard.press('0');
    await says('status', 'Now choose the relation of saw');
    await says('remarks', 'choose a relation in place of dep');
    const seen = await page.evaluate(measure);
    seen.found.slice(0, 20).forEach(note);
    check(seen.dark === (scheme === 'dark'), 'the colours are not those that the reader wants');
    await page.screenshot({ path: `${folder}/edit-${name}.png`, fullPage: true });

    // A second page sees it; what the first has seen is old then.
    const other = await open();
    await other.locator('svg .form[data-word="5"]').click();
    await other.keyboard.press('t');
    await other.keyboard.type('sconj');
    await other.keyboard.press('Enter');
    await other.waitForFunction(() => document.getElementById('status').textContent.startsWith('Saved'));
    check(line('\twith\t').includes('\tSCONJ\t'), `the file has ${line('\twith\t')}`);
    await other.close();
    await page.keyboard.press('Escape');
    await word(1).click();
    await word(4).click();
    await says('error', 'changed by another page');
    check(line('\tHe\t').includes('\t2\tnsubj\t'), 'an old page changed the file');

    await page.keyboard.press('n');
    await says('of', 'of 3');
    await page.waitForFunction(() => document.getElementById('at').value === '2');

    // A tag of another tagset stays until somebody changes it.
    await word(1).click();
    await page.keyboard.press('r');
    await page.keyboard.type('expl');
    await page.keyboard.press('Enter');
    await says('status', 'Saved: It is expl of rained');
    check(line('\tIt\t').includes('\tprn\t'), `the file has ${line('\tIt\t')}`);
    await page.keyboard.press('y');
    await says('status', 'the sentence is right');
    await says('about', 'corrected 20');

    // The model learns, and it is said what has come of it.
    if (name === 'light') {
      await page.locator('#adapt').click();
      await says('adapting', 'Learning from 2 sentences');
      check(await page.locator('#adapt').isDisabled(), 'two adaptations can run at once');
      await page.waitForFunction(() => /LAS/.test(document.getElementById('adapting').textContent), null, { timeout: 180000 });
      const written = (await page.locator('#adapting').textContent()).includes('Written to mine.tbm');
      check(written === existsSync(`${dirname(file)}/mine.tbm`), 'the verdict is not about what was written');
    }

    // Another program writes the file.
    const mine = text();
    writeFileSync(file, `${mine}\n`);
    await page.keyboard.press('y');
    await says('error', 'changed on disk');
    check(text() === `${mine}\n`, 'the work of another program was lost');
    writeFileSync(file, mine);

    while (await page.locator('#undo').isEnabled()) {
      const now = text();
      await page.keyboard.press('u');
      await says('status', 'undone');
      check(text() !== now, 'nothing was undone');
      await page.evaluate(() => { document.getElementById('status').textContent = ''; });
    }
    check(text() === first, `after all is undone the file has ${text()}`);
  } catch (error) {
    note(error.message);
  }
  console.log(`edit, ${name}: done`);
  await context.close();
}
await browser.close();
// The browser itself logs answers of status 400 and 409.
const real = problems.filter((p) => !/status of (400|409)/.test(p));
if (real.length) {
  console.error(real.join('\n'));
  process.exit(1);
}
