// Uses the page of treebeam serve in a real browser, as a person would.
//
// usage: node serve.mjs PLAYWRIGHT CHROMIUM FOLDER ADDRESS
//
// The server at ADDRESS has the models english-accurate and english-fast;
// screenshots go to FOLDER. Types a sentence, sees its tree, changes the model,
// copies CoNLL-U and SVG. Fails if anything of that does not work, if the page logs
// anything, asks anybody but its server, or does not pass measure.
import { launch, measure } from './measure.mjs';

const [playwright, chromium, folder, address] = process.argv.slice(2);
const problems = [];
const browser = await launch(playwright, chromium);
for (const [name, width, scheme] of [['light', 1280, 'light'], ['dark', 1280, 'dark'], ['narrow', 360, 'light']]) {
  const note = (what) => problems.push(`serve, ${name}: ${what}`);
  const check = (ok, what) => { if (!ok) note(what); };
  const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme: scheme, permissions: ['clipboard-read', 'clipboard-write'] });
  const page = await context.newPage();
  page.setDefaultTimeout(30000);
  page.on('console', (message) => note(`the console says: ${message.text()}`));
  page.on('pageerror', (error) => note(`error: ${error}`));
  page.on('dialog', (dialog) => { note(`a dialog: ${dialog.message()}`); dialog.dismiss(); });
  page.on('request', (request) => { if (!request.url().startsWith(address) && !request.url().startsWith('data:')) note(`it asks for ${request.url()}`); });
  const status = (text) => page.waitForFunction((t) => document.getElementById('status').textContent.includes(t), text);
  try {
    await page.goto(address, { waitUntil: 'load' });
    await status('1 sentence, 10 words, by english-accurate');

    // By keyboard alone: from the text to the model, to the button.
    await page.locator('#text').focus();
    await page.keyboard.press('Tab');
    check(await page.evaluate(() => document.activeElement.id) === 'model', 'Tab does not lead from the text to the model');
    await page.keyboard.press('Tab');
    check(await page.evaluate(() => document.activeElement.textContent) === 'Parse', 'Tab does not lead from the model to the button');

    const text = 'Mary gave <b>him</b> two books. She & he read them, and then they went home.';
    await page.locator('#text').fill(text);
    await page.keyboard.press('Control+Enter');
    await status('2 sentences');
    check(await page.locator('main b').count() === 0, 'the text became a part of the page');
    check(await page.locator('#trees section').count() === 2, 'there are not two trees');
    const drawn = await page.locator('svg.tree').last().textContent();
    for (const part of ['read', 'PRON', 'nsubj', 'root', '0.9']) check(drawn.includes(part), `the tree has no ${part}`);
    const roles = await page.locator('body').ariaSnapshot();
    for (const role of ['textbox "Text"', 'combobox "Model"', 'button "Parse"', 'status', 'heading', 'button "Copy CoNLL-U"']) check(roles.includes(role), `a reader of screens finds no ${role}`);
    const seen = await page.evaluate(measure);
    seen.found.slice(0, 20).forEach(note);
    check(seen.dark === (scheme === 'dark'), 'the colours are not those that the reader wants');

    const copied = async (button) => {
      await page.getByRole('button', { name: button, exact: true }).first().click();
      await status('copied');
      return page.evaluate(() => navigator.clipboard.readText());
    };
    const all = await copied('Copy all as CoNLL-U');
    check(all.startsWith('# generator = treebeam ') && all.includes('# model = english-accurate\n') && all.includes('# sent_id = 2\n') && all.endsWith('\n\n'), `CoNLL-U of all is ${all}`);
    const one = await copied('Copy CoNLL-U');
    check(all.startsWith(one) && !one.includes('# sent_id = 2'), `CoNLL-U of one is ${one}`);
    check((await copied('Copy SVG')).startsWith('<svg xmlns='), 'the picture was not copied');

    await page.locator('summary').first().click();
    check(await page.getByRole('cell', { name: 'give', exact: true }).count() > 0, 'the table has no lemma');
    await page.locator('#model').selectOption('english-fast');
    await status('by english-fast');
    await page.screenshot({ path: `${folder}/serve-${name}.png`, fullPage: true });

    await page.locator('#text').fill('  ');
    await page.locator('#form button').click();
    await status('There are no words');
    await page.locator('#text').fill('x'.repeat(5000000));
    await page.locator('#form button').click();
    await page.waitForFunction(() => document.getElementById('error').textContent.includes('too large'));
  } catch (error) {
    note(error.message);
  }
  console.log(`serve, ${name}: done`);
  await context.close();
}
await browser.close();
// The browser itself logs an answer of status 413.
const real = problems.filter((p) => !p.includes('status of 413'));
if (real.length) {
  console.error(real.join('\n'));
  process.exit(1);
}
