// Looks at pages of treebeam report in a real browser.
//
// usage: node browser.mjs PLAYWRIGHT CHROMIUM FOLDER PAGE...
//
// PLAYWRIGHT is the folder of the package playwright-core, CHROMIUM the browser;
// screenshots go to FOLDER. Fails if a page logs anything, asks for anything
// but itself, opens a dialog, is wider than its window, has a tree of no size,
// with labels or words on each other or outside of it, or text that stands out
// too little from what is behind it; and if anything must be scrolled sideways in
// a window of 1,280 pixels.
import { basename, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { launch, measure } from './measure.mjs';

const [playwright, chromium, folder, ...pages] = process.argv.slice(2);
const problems = [];

const browser = await launch(playwright, chromium);
for (const file of pages) {
  for (const [name, width, scheme, media] of [['light', 1280, 'light', 'screen'], ['dark', 1280, 'dark', 'screen'], ['narrow', 360, 'light', 'screen'], ['print', 760, 'light', 'print']]) {
    const note = (what) => problems.push(`${file}, ${name}: ${what}`);
    const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme: scheme });
    const page = await context.newPage();
    const own = pathToFileURL(resolve(file)).href;
    page.on('console', (message) => note(`the console says: ${message.text()}`));
    page.on('pageerror', (error) => note(`error: ${error}`));
    page.on('dialog', (dialog) => { note(`a dialog: ${dialog.message()}`); dialog.dismiss(); });
    page.on('request', (request) => { if (request.url() !== own && !request.url().startsWith('data:')) note(`it asks for ${request.url()}`); });
    await page.emulateMedia({ media, colorScheme: scheme });
    await page.goto(own, { waitUntil: 'load' });
    const seen = await page.evaluate(measure);
    if (width === 1280) {
      const open = (is) => page.evaluate((is) => document.querySelectorAll('details').forEach((e) => { e.open = is; }), is);
      await open(true);
      seen.found.push(...await page.evaluate(() => [...document.querySelectorAll('.scroll')]
        .filter((e) => e.scrollWidth > e.clientWidth).map((e) => `${e.getAttribute('aria-label') ?? 'a table'} is ${e.scrollWidth} wide in ${e.clientWidth}`)));
      await open(false);
    }
    seen.found.slice(0, 20).forEach(note);
    if (seen.trees === 0 || seen.texts === 0) note('there are no trees');
    if (seen.dark !== (scheme === 'dark')) note('the colours are not those that the reader wants');
    await page.screenshot({ path: `${folder}/${basename(file, '.html')}-${name}.png`, fullPage: true });
    console.log(`${file}, ${name}: ${seen.trees} trees, ${seen.texts} texts in them, ${seen.found.length} problems`);
    await context.close();
  }
}
await browser.close();
if (problems.length) {
  console.error(problems.join('\n'));
  process.exit(1);
}
