import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { openPostgresPool } from '../../../apps/platform/src/core/database/pools.ts'
import { step } from '../../../scripts/workspace.mjs'
import { createSend, jsonOf } from './http-client.ts'
import { childEnvironment } from './server-process.ts'
import { samplePassword } from './sign-in.ts'
import type { BenchContext } from './bench-context.ts'

// The newest version that installs on Node 20.
export const directusVersion = '11.1.2'

export interface Directus {
  url: string
  account: { email: string; password: string }
  headers: Record<string, string>
  stop: () => Promise<void>
}

/** Directus on the devices of a database, with its own tables in a separate schema. */
export async function startDirectus(bench: BenchContext, databaseUrl: string): Promise<Directus> {
  // `GROVE_BENCH_DIRECTUS` names a folder where it is already installed.
  const folder = process.env['GROVE_BENCH_DIRECTUS'] ?? (await install(bench))
  const pool = openPostgresPool(databaseUrl)
  await pool.query('create schema if not exists directus')
  await pool.end()
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const account = { email: 'admin@example.com', password: samplePassword }
  const env = childEnvironment({
    NODE_ENV: 'production',
    HOST: '127.0.0.1',
    PORT: `${port}`,
    PUBLIC_URL: url,
    DB_CLIENT: 'pg',
    DB_CONNECTION_STRING: databaseUrl,
    DB_SEARCH_PATH: 'array:directus,maple',
    KEY: 'k'.repeat(32),
    SECRET: 's'.repeat(32),
    ADMIN_EMAIL: account.email,
    ADMIN_PASSWORD: account.password,
    CACHE_ENABLED: 'false',
    RATE_LIMITER_ENABLED: 'false',
    PRESSURE_LIMITER_ENABLED: 'false',
    TELEMETRY: 'false',
    LOG_LEVEL: 'error',
  })
  const cli = (command: string): ChildProcess =>
    spawn(process.execPath, [join(folder, 'node_modules/directus/cli.js'), command], {
      cwd: folder,
      env,
      stdio: ['ignore', 'ignore', 'inherit'],
    })
  const [code] = (await once(cli('bootstrap'), 'exit')) as [number | null]
  if (code !== 0) throw new Error(`Directus could not make its tables (${code}).`)
  const server = cli('start')
  const kill = () => void server.kill('SIGKILL')
  process.once('exit', kill)
  const ended = once(server, 'exit').finally(() => process.off('exit', kill))
  const stop = async () => {
    server.kill('SIGTERM')
    await ended
  }
  bench.atEnd(stop)
  const send = createSend(url)
  for (let tries = 0; ; tries += 1) {
    const answer = await send('GET', '/server/ping').catch(() => undefined)
    if (answer?.status === 200) break
    if (tries > 240 || server.exitCode !== null) throw new Error('Directus does not start.')
    await pause(250)
  }
  const { data }: { data: { access_token: string } } = jsonOf(
    await send('POST', '/auth/login', { body: account }),
  )
  return { url, account, headers: { authorization: `Bearer ${data.access_token}` }, stop }
}

async function install(bench: BenchContext): Promise<string> {
  const folder = await bench.folder('directus')
  await writeFile(join(folder, 'package.json'), '{"private":true}')
  const options = { cwd: folder, hint: 'Check the network and the npm registry setting.' }
  const quiet = ['--no-audit', '--no-fund', '--loglevel=error']
  const wanted = `directus@${directusVersion}`
  step('Installing Directus', 'npm', ['install', wanted, '--ignore-scripts', ...quiet], options)
  // The only package that must be compiled; the others ship binaries.
  step('Compiling isolated-vm', 'npm', ['rebuild', 'isolated-vm', ...quiet], options)
  return folder
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address() as AddressInfo
  probe.close()
  await once(probe, 'close')
  return port
}
