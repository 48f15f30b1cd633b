// How long a page of kiln view takes to open in Chromium, drawn by the processor: page.mjs PAGE... Prints for each page
// its bytes, and of three openings the least, in seconds: from the call to the picture, and of that what scripts of the
// page took until then.
import { statSync } from 'node:fs';
import { Browser } from '../gate/view/browser.mjs';

for (const page of process.argv.slice(2)) {
  let least = Infinity, own = Infinity;
  for (let i = 0; i < 3; i++) {
    const browser = new Browser();
    const time = await browser.open(page, { seconds: 120 });
    least = Math.min(least, time);
    own = Math.min(own, Number(await browser.evaluate('document.body.dataset.ready')));
    await browser.close();
  }
  console.log(`${page}: ${statSync(page).size} bytes, open in ${(least / 1000).toFixed(2)} s, ${(own / 1000).toFixed(2)} s by its own clock`);
}
