// Run as a child process: floods a server until it is ended. For each line on its input, it prints
// the number of responses so far.
import { connect, type Socket } from 'node:net'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { createSend, jsonOf } from './http-client.ts'
import { ownPassword } from './sign-in.ts'

const [address = '', kind = '', networks = '1'] = process.argv.slice(2)
const { hostname, port } = new URL(address)
let answers = 0

interface Caller {
  /** A source IP address of this machine. */
  from: string
  index: number
}

/** One caller after another from as many networks, each on a connection that it reopens. */
function rage(callers: number, call: (socket: Socket, caller: Caller) => Promise<void>): void {
  for (let index = 0; index < callers; index += 1) {
    const from = `127.${index % Number(networks)}.7.7`
    const again = async () => {
      const socket = connect({ host: hostname, port: Number(port), localAddress: from })
      socket.on('error', () => {})
      try {
        await once(socket, 'connect')
        await Promise.race([call(socket, { from, index }), once(socket, 'close')])
      } catch {
        // Refused: it retries, as a flood does.
      }
      socket.destroy()
      setTimeout(() => void again(), 100)
    }
    void again()
  }
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

const head = (path: string, length: number, type = 'application/json', more = '') =>
  `POST ${path} HTTP/1.1\r\nhost: ${hostname}:${port}\r\ncontent-type: ${type}\r\ncontent-length: ${length}\r\n${more}\r\n`

/** Forged tokens, as fast as they are answered. */
function refreshes(): void {
  rage(600, async (socket, { index }) => {
    for (let count = 0; ; count += 1) {
      const token = Buffer.from(`${index} ${count} `.padEnd(32, 'x')).toString('base64url')
      const body = JSON.stringify({ refreshToken: token, provider: 'grove' })
      socket.write(head('/api/token/refresh', body.length) + body)
      await once(socket, 'data')
      answers += 1
    }
  })
}

/** Sign-ins whose bodies arrive a byte per second. */
function trickles(): void {
  rage(1500, async (socket) => {
    socket.write(head('/api/token/password', 4000))
    for (;;) {
      socket.write(' ')
      await pause(1000)
    }
  })
}

/** Packages of an account that arrive at a kilobyte per second. */
async function uploads(): Promise<void> {
  const send = createSend(address)
  const call = async (path: string, headers: Record<string, string>, body: object) =>
    jsonOf(await send('POST', path, { headers, body }))
  const email = `storm-${process.pid}@grove.test`
  const { token }: { token: { accessToken: string } } = await call(
    '/api/signup',
    {},
    {
      email,
      password: ownPassword,
      provider: 'grove',
      role: 'DEVELOPER',
    },
  )
  const authorization = `Bearer ${token.accessToken}`
  const translations = [{ localeCode: 'en-US', title: 'Storm' }]
  const { productId }: { productId: string } = await call(
    '/api/developer/product',
    { authorization },
    { translations },
  )
  const { productVersionId }: { productVersionId: string } = await call(
    '/api/developer/productVersion',
    { authorization },
    { productId, version: '1.0.0', translations },
  )
  const start = `--x\r\ncontent-disposition: form-data; name="productVersionId"\r\n\r\n${productVersionId}\r\n--x\r\ncontent-disposition: form-data; name="file"; filename="a.zip"\r\n\r\n`
  const type = 'multipart/form-data; boundary=x'
  rage(80, async (socket) => {
    const path = '/api/storage/productVersion/miniApp'
    socket.write(head(path, 18_000_000, type, `authorization: ${authorization}\r\n`) + start)
    socket.on('data', () => {
      answers += 1
      socket.destroy()
    })
    for (;;) {
      socket.write(Buffer.alloc(1000))
      await pause(1000)
    }
  })
}

const storms: Record<string, () => void | Promise<void>> = { refreshes, trickles, uploads }
await storms[kind]?.()
console.log('raging')
for await (const _ of createInterface({ input: process.stdin })) console.log(`answers ${answers}`)
process.exit()
