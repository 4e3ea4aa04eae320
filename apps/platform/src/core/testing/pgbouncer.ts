import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { freePort } from './free-port.ts'

const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin']
const program = folders.map((folder) => join(folder, 'pgbouncer')).find((path) => existsSync(path))
export const hasPgbouncer = program !== undefined

/** A PgBouncer that shares connections per transaction, in front of a test server. */
export async function startPgbouncer(databaseUrl: string) {
  const { hostname, port, username } = new URL(databaseUrl)
  const folder = await mkdtemp(join(tmpdir(), 'grove-pgbouncer-'))
  const own = await freePort()
  const settings = `[databases]
* = host=${hostname} port=${port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${own}
unix_socket_dir =
auth_type = any
pool_mode = transaction
max_client_conn = 500
default_pool_size = 5
`
  const file = join(folder, 'pgbouncer.ini')
  await writeFile(file, settings.replace('* = ', `* = user=${username} `))
  await chmod(folder, 0o755)
  // It refuses to run as root.
  const asUser = process.getuid?.() === 0 ? ['-u', 'nobody'] : []
  const child = spawn(program ?? '', [...asUser, file], { stdio: 'ignore' })
  const ended = once(child, 'exit')
  const opens = () =>
    new Promise<boolean>((resolve) => {
      const socket = connect(own, '127.0.0.1', () => resolve(socket.end() !== undefined))
      socket.on('error', () => resolve(false))
    })
  while (!(await opens())) {
    if (child.exitCode !== null) throw new Error('PgBouncer did not start.')
    await wait(50)
  }
  return {
    url: Object.assign(new URL(databaseUrl), { port: String(own) }).href,
    async stop() {
      child.kill('SIGTERM')
      await ended
      await rm(folder, { recursive: true, force: true })
    },
  }
}
