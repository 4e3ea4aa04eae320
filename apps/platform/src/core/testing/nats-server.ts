import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { freePort } from './free-port.ts'

const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', '/usr/bin']
const program = folders
  .map((folder) => join(folder, 'nats-server'))
  .find((path) => existsSync(path))
export const hasNats = program !== undefined

/** NATS with JetStream in a temporary folder with at most `room`, on a fixed port. */
export async function startNats(room = '10GB') {
  const folder = await mkdtemp(join(tmpdir(), 'grove-nats-'))
  const port = await freePort()
  const file = join(folder, 'nats.conf')
  await writeFile(
    file,
    `listen: "127.0.0.1:${port}"\njetstream { store_dir: "${folder}/store", max_file_store: ${room} }\n`,
  )
  let child: ChildProcess
  const opens = () =>
    new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1', () => resolve(socket.end() !== undefined))
      socket.on('error', () => resolve(false))
    })
  async function start() {
    child = spawn(program ?? '', ['-c', file], { stdio: 'ignore' })
    while (!(await opens())) {
      if (child.exitCode !== null) throw new Error('NATS did not start.')
      await wait(20)
    }
  }
  /** Like a crash. */
  async function kill() {
    if (child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    await ended
  }
  await start()
  return {
    url: `nats://127.0.0.1:${port}`,
    port,
    start,
    kill,
    async close() {
      await kill()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

export type Nats = Awaited<ReturnType<typeof startNats>>
