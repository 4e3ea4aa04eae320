import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { root } from '../../../../../scripts/workspace.mjs'
import { freePort } from './free-port.ts'

export const hasHaproxy = spawnSync('haproxy', ['-v']).status === 0

/** HAProxy with the settings of our example, but without TLS, in front of processes on these ports. */
export async function startHaproxy(ports: readonly number[]) {
  const port = await freePort()
  const example = await readFile(join(root, 'deploy/proxy/haproxy.cfg'), 'utf8')
  const settings = example
    // Sections for other ports.
    .replaceAll(/^(frontend http|backend preview|listen \w+)\n(?:[ #].*\n|\n)*/gm, '')
    .replace(/^ +use_backend preview.*\n/m, '')
    .replace(/bind :443 ssl.*/, `bind 127.0.0.1:${port}`)
    .replace(
      /(?: +server grove-\d 127\.0\.0\.1:30[01]0\n)+/,
      ports.map((each, index) => `  server grove-${index + 1} 127.0.0.1:${each}\n`).join(''),
    )
  const folder = await mkdtemp(join(tmpdir(), 'grove-haproxy-'))
  const file = join(folder, 'haproxy.cfg')
  await writeFile(file, settings)
  const child = spawn('haproxy', ['-db', '-f', file], { stdio: ['ignore', 'pipe', 'pipe'] })
  let log = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (log += text))
  const ended = once(child, 'exit')
  const url = `http://127.0.0.1:${port}`
  while ((await fetch(`${url}/readyz`).catch(() => undefined))?.status !== 200) {
    if (child.exitCode !== null) throw new Error(`HAProxy did not start:\n${log}`)
    await wait(100)
  }
  return {
    url,
    pid: child.pid,
    log: () => log,
    async stop() {
      child.kill('SIGTERM')
      await ended
      await rm(folder, { recursive: true, force: true })
    },
  }
}
