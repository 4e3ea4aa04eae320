import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { freePort } from '../../../../../../core/testing/free-port.ts'

const run = promisify(execFile)

const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', '/usr/bin']
const find = (name: string) =>
  folders.map((folder) => join(folder, name)).find((path) => existsSync(path))

const plugin = 'mosquitto_dynamic_security.so'
function findPlugin(program: string): string | undefined {
  const libraries = join(dirname(program), '../lib')
  if (!existsSync(libraries)) return undefined
  return readdirSync(libraries)
    .map((name) => join(libraries, name, plugin))
    .find((path) => existsSync(path))
}

const program = find('mosquitto')
const control = find('mosquitto_ctrl')
export const hasMosquitto =
  program !== undefined && control !== undefined && findPlugin(program) !== undefined
export const needs = '(needs mosquitto)'

/** The settings of docs/broker.md, which are the same there. */
async function settingsOf(folder: string, port: number): Promise<string> {
  const page = await readFile(
    new URL('../../../../../../../../../docs/broker.md', import.meta.url),
    'utf8',
  )
  const [, settings = ''] = /```conf\n([^]*?)```/.exec(page) ?? []
  const [, rules = ''] = /```acl\n([^]*?)```/.exec(page) ?? []
  await writeFile(join(folder, 'grove.acl'), rules, { mode: 0o600 })
  return (
    settings
      .replace(/^listener .*$/m, `listener ${port} 127.0.0.1`)
      // Certificates are not tested here.
      .replaceAll(/^(certfile|keyfile) .*\n/gm, '')
      .replace(/^plugin .*$/m, `plugin ${findPlugin(program ?? '')}`)
      .replace(/^plugin_opt_config_file .*$/m, `plugin_opt_config_file ${folder}/accounts.json`)
      .replace(/^acl_file .*$/m, `acl_file ${folder}/grove.acl`)
      .replace(/^persistence_location .*$/m, `persistence_location ${folder}/`)
      .concat('user root\n')
  )
}

/** A broker set up as in docs/broker.md, in a temporary folder; `more` has additional settings. */
export async function startMosquitto(more = '') {
  const folder = await mkdtemp(join(tmpdir(), 'grove-mosquitto-'))
  const port = await freePort()
  const password = 'admin-of-this-test'
  await run(control ?? '', ['dynsec', 'init', join(folder, 'accounts.json'), 'grove', password])
  const settings = await settingsOf(folder, port)
  await writeFile(join(folder, 'mosquitto.conf'), `${settings}${more}`)
  let child: ChildProcess

  async function start() {
    child = spawn(program ?? '', ['-c', join(folder, 'mosquitto.conf')], { stdio: 'ignore' })
    for (;;) {
      if (child.exitCode !== null) throw new Error('Mosquitto does not start.')
      const socket = connect(port, '127.0.0.1')
      const isUp = await new Promise<boolean>((resolve) => {
        socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
      })
      socket.destroy()
      if (isUp) return
    }
  }
  async function stop() {
    if (child.exitCode !== null) return
    const ended = once(child, 'exit')
    child.kill()
    await ended
  }
  await start()
  return {
    url: `mqtt://grove:${password}@127.0.0.1:${port}`,
    port,
    start,
    stop,
    async close() {
      await stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

export type Mosquitto = Awaited<ReturnType<typeof startMosquitto>>
