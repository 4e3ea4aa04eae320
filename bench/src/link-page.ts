import autocannon from 'autocannon'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { row, type Benchmark } from './benchmark.ts'
import type { BenchContext } from './support/bench-context.ts'
import { createSend } from './support/http-client.ts'
import { startPlatform, startServer, type ServerProcess } from './support/server-process.ts'
import { createSignIn } from './support/sign-in.ts'
import { median } from './support/statistics.ts'

const connections = 32
const headers = { 'accept-encoding': 'br', 'accept-language': 'en' }

export const linkPage: Benchmark = {
  name: 'link-page',
  title: 'Public page of a link',
  how: `\`GET /{linkId}\` of a sample app on the embedded database, without its limit by network, against a bare Fastify route that sends the same compressed bytes, each server a process of its own, loaded in turns by autocannon with ${connections} connections in a third process; the share is the median of each round’s share. Bytes are those of the page’s HTML as it is before compression; it has no scripts and no style sheet of its own.`,
  run: async (bench) => {
    const servers: ServerProcess[] = []
    try {
      const folder = await bench.folder('link-page')
      const env = { GROVE_DATA: folder, GROVE_LINK_OPENS_PER_MINUTE: '0' }
      const platform = await startPlatform(bench, env)
      servers.push(platform)
      const url = await linkOf(platform.url)
      const page = await fetch(url, { headers: { 'accept-encoding': 'identity' } })
      const plain = (await page.arrayBuffer()).byteLength
      const file = join(folder, 'page.br')
      const body = await compressedBody(url)
      await writeFile(file, body)
      const bare = await startServer(
        bench,
        'bench/src/support/bare-page-server.ts',
        { BARE_PAGE: file },
        /Bare server: (\S+)/,
      )
      servers.push(bare)
      return { rows: [...(await compare(bench, url, bare.url)), bytesRow(plain, body.length)] }
    } finally {
      for (const server of servers) await server.stop()
    }
  },
}

const bytesRow = (plain: number, compressed: number) =>
  row('bytes of the page', plain / 1000, 'kB', {
    budget: { atMost: 30 },
    note: `${(compressed / 1000).toFixed(1)} kB as sent`,
  })

async function compare({ isQuick, say }: BenchContext, url: string, bareUrl: string) {
  const seconds = isQuick ? 1 : 6
  await load(url, seconds / 2)
  await load(bareUrl, seconds / 2)
  const rounds: { ours: number; theirs: number }[] = []
  for (let round = 0; round < (isQuick ? 1 : 7); round += 1) {
    // The first one inherits the other's effects on the machine: alternate.
    const isFirst = round % 2 === 0
    const first = await load(isFirst ? url : bareUrl, seconds)
    const second = await load(isFirst ? bareUrl : url, seconds)
    rounds.push(isFirst ? { ours: first, theirs: second } : { ours: second, theirs: first })
  }
  const ours = median(rounds.map((round) => round.ours)).toFixed(0)
  const theirs = median(rounds.map((round) => round.theirs)).toFixed(0)
  say(`public page: ${ours} of ${theirs} requests/s`)
  const share = median(rounds.map((round) => (round.ours / round.theirs) * 100))
  return [
    row('public page against a bare route', share, '%', {
      budget: { atLeast: 70 },
      note: `${ours} of ${theirs} requests/s`,
    }),
  ]
}

/** The URL of a sample app's link. */
async function linkOf(platform: string): Promise<string> {
  const authorization = await createSignIn(createSend(platform), 'developer')()
  const ask = async <T>(path: string, method = 'GET'): Promise<T> => {
    const answer = await fetch(platform + path, { method, headers: authorization })
    if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}.`)
    return (await answer.json()) as T
  }
  const { items } = await ask<{ items: { productId: string }[] }>('/api/developer/product')
  const product = `/api/developer/product/${items[0]?.productId}`
  const { linkId } = await ask<{ linkId: string }>(`${product}/link`, 'PUT')
  return `${platform}/${linkId}`
}

/** The body as on the wire: `fetch` would decompress it. */
async function compressedBody(url: string): Promise<Buffer> {
  const { get } = await import('node:http')
  return new Promise((resolve, reject) => {
    get(url, { headers }, (answer) => {
      const parts: Buffer[] = []
      answer.on('data', (part: Buffer) => parts.push(part))
      answer.on('end', () => resolve(Buffer.concat(parts)))
    }).on('error', reject)
  })
}

async function load(url: string, duration: number): Promise<number> {
  const result = await autocannon({ url, connections, duration, headers })
  const failed = result.non2xx + result.errors + result.timeouts
  if (failed > 0) throw new Error(`${failed} requests of ${url} failed.`)
  return result['2xx'] / result.duration
}
