import { randomBytes } from 'node:crypto'
import { Agent, get } from 'node:http'
import { mkdtemp, rm } from 'node:fs/promises'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { startPlatform } from './core/testing/platform-process.ts'

interface Answer {
  status: number
  connection: string | undefined
  body: string
}

const agent = new Agent({ keepAlive: true })
const ask = (url: string) =>
  new Promise<Answer>((resolve, reject) => {
    get(url, { agent }, (answer) => {
      let body = ''
      answer.setEncoding('utf8').on('data', (chunk: string) => (body += chunk))
      const { statusCode = 0, headers } = answer
      answer.on('end', () => resolve({ status: statusCode, connection: headers.connection, body }))
    }).on('error', reject)
  })

test('a stopping process still answers clients that have not noticed, and then ends', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'grove-stop-'))
  const { url, child } = await startPlatform({
    GROVE_DATA: folder,
    GROVE_SAMPLE: 'off',
    GROVE_DRAIN_SECONDS: '2',
  })
  try {
    expect((await ask(`${url}/readyz`)).status).toBe(200)
    const end = once(child, 'exit')
    child.kill('SIGTERM')
    const statuses = new Set<number>()
    let noticed = 0
    // Like a load balancer that needs two failures, and goes on sending until then.
    while (noticed < 2) {
      const [ready, call] = await Promise.all([
        ask(`${url}/readyz`),
        ask(`${url}/.well-known/jwks.json`),
      ])
      statuses.add(call.status)
      if (ready.status !== 503) continue
      expect(JSON.parse(ready.body)).toMatchObject({ status: 'stopping', database: true })
      expect([ready.connection, call.connection]).toEqual(['close', 'close'])
      noticed += 1
      await wait(500)
    }
    expect([...statuses]).toEqual([200])
    expect(await end).toEqual([0, null])
  } finally {
    child.kill('SIGKILL')
    await rm(folder, { recursive: true })
  }
}, 60_000)

test('from ready until it refuses connections, a process refuses no request', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'grove-stop-'))
  const { url, child } = await startPlatform({
    GROVE_DATA: folder,
    GROVE_SAMPLE: 'off',
    GROVE_DRAIN_SECONDS: '2',
  })
  try {
    const end = once(child, 'exit')
    const statuses = new Set<number>()
    const refusals = new Set<string>()
    const askOn = async () => {
      while (refusals.size === 0)
        await ask(`${url}/.well-known/jwks.json`).then(
          ({ status }) => statuses.add(status),
          // Any other code means a connection that was closed before the request was read.
          ({ code }: NodeJS.ErrnoException) => code === 'ECONNREFUSED' && refusals.add(code),
        )
    }
    child.kill('SIGTERM')
    await Promise.all(Array.from({ length: 8 }, askOn))
    expect([...statuses]).toEqual([200])
    expect(await end).toEqual([0, null])
  } finally {
    child.kill('SIGKILL')
    await rm(folder, { recursive: true })
  }
}, 60_000)

test('in production everything that a process prints is lines of JSON, from start to end', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'grove-stop-'))
  const { url, stop, output } = await startPlatform({
    GROVE_DATA: folder,
    GROVE_ENV: 'production',
    GROVE_LOG: 'info',
    GROVE_SECRET: randomBytes(32).toString('hex'),
    GROVE_CONSOLE_URL: 'https://grove.example.com',
    GROVE_FIRST_ADMIN: 'ada@example.com',
    GROVE_DRAIN_SECONDS: '0',
  })
  try {
    await ask(`${url}/.well-known/jwks.json`)
    await stop()
    const lines = output()
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { level: string; time: number; msg: string })
    for (const { level, time } of lines) {
      expect(level).toMatch(/^(info|warn|error)$/)
      expect(Math.abs(time - Date.now())).toBeLessThan(600_000)
    }
    expect(lines.map(({ msg }) => msg)).toEqual(
      expect.arrayContaining([
        `Grove is ready: ${url}`,
        expect.stringMatching(/^https:\/\/grove\.example\.com\/.*invit/),
        'answered',
        expect.stringMatching(/^Stopping/),
      ]),
    )
  } finally {
    await stop()
    await rm(folder, { recursive: true })
  }
}, 60_000)
