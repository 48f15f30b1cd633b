// Chromium without a window, driven by the DevTools protocol over a pipe: descriptors 3 and 4, messages
// ended by a zero byte. No network is used: a page that asks for anything else is a failure (requests()).
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

export class Browser {
  constructor() {
    this.folder = mkdtempSync(join(process.env.TMPDIR || tmpdir(), 'chromium-'));
    const program = process.env.CHROMIUM || 'chromium';
    this.process = spawn(program, [
      '--headless=new', '--no-sandbox', '--remote-debugging-pipe', `--user-data-dir=${this.folder}`, '--no-first-run',
      '--disable-extensions', '--disable-background-networking', '--disable-component-update', '--disable-sync',
      '--disable-default-apps', '--metrics-recording-only', '--mute-audio', '--hide-scrollbars', '--disable-dev-shm-usage',
      '--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--force-color-profile=srgb',
    ], { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'], env: { ...process.env, HOME: this.folder } });
    this.next = 1;
    this.waiting = new Map();
    this.events = [];
    let rest = Buffer.alloc(0);
    this.process.stdio[4].on('data', (chunk) => {
      rest = Buffer.concat([rest, chunk]);
      for (let end; (end = rest.indexOf(0)) >= 0; rest = rest.subarray(end + 1)) {
        this.take(JSON.parse(rest.subarray(0, end).toString()));
      }
    });
    this.gone = new Promise((resolve) => this.process.on('exit', resolve));
    this.process.on('error', () => {});
    this.gone.then(() => {
      for (const { reject } of this.waiting.values()) {
        reject(new Error('the browser has ended'));
      }
    });
  }

  take(message) {
    const waits = this.waiting.get(message.id);
    if (waits) {
      this.waiting.delete(message.id);
      message.error ? waits.reject(new Error(JSON.stringify(message.error))) : waits.resolve(message.result);
    } else {
      this.events.push(message);
    }
  }

  send(method, params = {}, sessionId = this.session) {
    const id = this.next++;
    this.process.stdio[3].write(JSON.stringify({ id, method, params, ...(sessionId ? { sessionId } : {}) }) + '\0');
    return new Promise((resolve, reject) => this.waiting.set(id, { resolve, reject }));
  }

  // Opens a file in a fresh tab of this size, and waits until its body has the attribute data-ready.
  async open(path, { width = 1280, height = 800, dark = false, seconds = 60 } = {}) {
    if (this.target) {
      await this.send('Target.closeTarget', { targetId: this.target }, null);
    }
    this.session = null;
    this.events = [];
    this.target = (await this.send('Target.createTarget', { url: 'about:blank' }, null)).targetId;
    this.session = (await this.send('Target.attachToTarget', { targetId: this.target, flatten: true }, null)).sessionId;
    await Promise.all(['Page.enable', 'Runtime.enable', 'Log.enable', 'Network.enable'].map((method) => this.send(method)));
    await this.send('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: 1, mobile: false });
    await this.send('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-color-scheme', value: dark ? 'dark' : 'light' }] });
    const start = performance.now();
    await this.send('Page.navigate', { url: pathToFileURL(path).href });
    while (!(await this.evaluate('document.body && document.body.hasAttribute("data-ready")').catch(() => false))) {
      if (performance.now() - start > 1000 * seconds) {
        throw new Error(`${path} is not ready; ${JSON.stringify(this.errors())} ${await this.evaluate('document.body.innerText.slice(0, 400)')}`);
      }
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    return performance.now() - start;
  }

  async evaluate(expression) {
    const result = await this.send('Runtime.evaluate', { expression, returnByValue: true, awaitPromise: true });
    if (result.exceptionDetails) {
      throw new Error(result.exceptionDetails.exception?.description || result.exceptionDetails.text);
    }
    return result.result.value;
  }

  // What the page has complained of: exceptions, errors and warnings of the console, refusals of its policy.
  errors() {
    const list = [];
    for (const { method, params } of this.events) {
      if (method === 'Runtime.exceptionThrown') {
        list.push(params.exceptionDetails.exception?.description || params.exceptionDetails.text);
      } else if (method === 'Runtime.consoleAPICalled' && (params.type === 'error' || params.type === 'warning')) {
        list.push(params.args.map((arg) => arg.value ?? arg.description).join(' '));
      } else if (method === 'Log.entryAdded' && params.entry.level !== 'info' && params.entry.level !== 'verbose') {
        // The GPU process of this machine says that it draws in software and how long reading pixels took.
        if (!/GL Driver Message|GPU stall|SwiftShader|software WebGL/i.test(params.entry.text)) {
          list.push(params.entry.text);
        }
      }
    }
    return list;
  }

  // Whatever was asked for besides the page itself.
  requests() {
    return this.events.filter((e) => e.method === 'Network.requestWillBeSent').map((e) => e.params.request.url)
      .filter((url) => !/^(file|data|blob):/.test(url));
  }

  async frame() {
    await this.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
  }

  mouse(type, x, y, more = {}) {
    return this.send('Input.dispatchMouseEvent', { type, x, y, button: 'left', buttons: type === 'mouseReleased' ? 0 : 1, clickCount: 1, ...more });
  }

  // Presses, moves in steps, releases.
  async drag(from, to, modifiers = 0) {
    await this.mouse('mousePressed', from[0], from[1], { modifiers });
    for (let i = 1; i <= 5; i++) {
      const at = from.map((v, k) => v + (to[k] - v) * i / 5);
      await this.mouse('mouseMoved', at[0], at[1], { modifiers });
    }
    await this.mouse('mouseReleased', to[0], to[1], { modifiers });
    await this.frame();
  }

  async key(key, code = key, modifiers = 0) {
    const text = key.length === 1 ? { text: key } : key === 'Enter' ? { text: '\r' } : {};
    const number = { ArrowLeft: 37, ArrowUp: 38, ArrowRight: 39, ArrowDown: 40, Tab: 9, Enter: 13, Home: 36, End: 35, ' ': 32 }[key];
    await this.send('Input.dispatchKeyEvent', { type: 'keyDown', key, code, modifiers, windowsVirtualKeyCode: number, ...text });
    await this.send('Input.dispatchKeyEvent', { type: 'keyUp', key, code, modifiers, windowsVirtualKeyCode: number });
    await this.frame();
  }

  // The middle of an element, after scrolling to it.
  async middle(selector) {
    return this.evaluate(`(() => { const e = document.querySelector(${JSON.stringify(selector)}); e.scrollIntoView({block: 'center'});
      const b = e.getBoundingClientRect(); return [b.left + b.width / 2, b.top + b.height / 2]; })()`);
  }

  async click(selector) {
    const [x, y] = await this.middle(selector);
    await this.drag([x, y], [x, y]);
  }

  async screenshot(clip) {
    const { data } = await this.send('Page.captureScreenshot', { format: 'png', ...(clip ? { clip: { ...clip, scale: 1 } } : {}) });
    return Buffer.from(data, 'base64');
  }

  async close() {
    this.process.stdio[3].end();
    const late = setTimeout(() => this.process.kill('SIGKILL'), 5000);
    await this.gone;
    clearTimeout(late);
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  }
}
