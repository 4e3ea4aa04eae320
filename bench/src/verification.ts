import autocannon from 'autocannon'
import { createLocalJWKSet, jwtVerify } from 'jose'
import { row, type Benchmark, type Row } from './benchmark.ts'
import { createSend, jsonOf } from './support/http-client.ts'
import { startPlatform } from './support/server-process.ts'
import { samplePassword } from './support/sign-in.ts'
import { median } from './support/statistics.ts'

const connections = 32
// More than a process serves at once, fewer than the 10,000 that it caches.
const tokens = 500

export const verification: Benchmark = {
  name: 'verification',
  title: 'Verified requests',
  how: `\`GET /api/user/info\`, which verifies the bearer token by public key and answers what it says, against \`GET /.well-known/jwks.json\`, a call of the same server and about the same size that verifies nothing; loaded in turns by autocannon, ${connections} connections. One token: all but the first request find it verified. Many tokens: ${tokens} of them in turn, each verified once. Medians of the rounds.`,
  run: async (bench) => {
    const seconds = bench.isQuick ? 1 : 5
    const platform = await startPlatform(bench, {
      GROVE_DATA: await bench.folder('verification'),
    })
    const body = { email: 'developer@grove.test', password: samplePassword, provider: 'grove' }
    const send = createSend(platform.url)
    const signIn = async () => {
      const { token } = jsonOf(await send('POST', '/api/token/password', { body }))
      return `Bearer ${token.accessToken}`
    }
    const first = await signIn()
    const many = [first]
    while (many.length < (bench.isQuick ? 20 : tokens)) many.push(await signIn())
    const rounds = { none: [] as number[], one: [] as number[], many: [] as number[] }
    for (let round = 0; round < (bench.isQuick ? 1 : 5); round += 1) {
      rounds.none.push(await load(`${platform.url}/.well-known/jwks.json`, [first], seconds))
      rounds.one.push(await load(`${platform.url}/api/user/info`, [first], seconds))
      rounds.many.push(await load(`${platform.url}/api/user/info`, many, seconds))
    }
    const fresh = await verificationsAlone(bench.isQuick ? many.slice(0, 5) : many, platform.url)
    await platform.stop()
    const unverified = median(rounds.none)
    const share = (name: string, rates: number[]): Row =>
      row(name, (median(rates) / unverified) * 100, '%', {
        note: `${median(rates).toFixed(0)} of ${unverified.toFixed(0)} requests/s`,
      })
    return {
      rows: [
        share('one token, of the unverified rate', rounds.one),
        share('many tokens, of the unverified rate', rounds.many),
        row('verifying a signature (ES256)', fresh, '/s', {
          note: 'jose alone, one after the other, in the benchmark’s own process',
        }),
      ],
    }
  },
}

async function load(url: string, authorizations: string[], duration: number): Promise<number> {
  const result = await autocannon({
    url,
    connections,
    duration,
    requests: authorizations.map((authorization) => ({
      method: 'GET',
      headers: { authorization },
    })),
  })
  const failed = result.non2xx + result.errors + result.timeouts
  if (failed > 0) throw new Error(`${failed} calls of ${url} failed.`)
  return result['2xx'] / result.duration
}

/** The cost of a request without the cache of verified tokens. */
async function verificationsAlone(authorizations: string[], url: string): Promise<number> {
  const keys = createLocalJWKSet(jsonOf(await createSend(url)('GET', '/.well-known/jwks.json')))
  const started = performance.now()
  for (const authorization of authorizations)
    await jwtVerify(authorization.slice('Bearer '.length), keys)
  return authorizations.length / ((performance.now() - started) / 1000)
}
