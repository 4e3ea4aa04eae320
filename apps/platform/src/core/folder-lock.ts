import { createHash, randomBytes } from 'node:crypto'
import { mkdtemp, readdir, realpath, rename, rm, symlink, stat } from 'node:fs/promises'
import { connect, createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { StartupError } from './startup-error.ts'

export interface FolderLock {
  release: () => Promise<void>
}

interface Owner {
  pid: number
  holding: boolean
}

const prefix = 'lock.'
const attempts = 50

/**
 * Locks a folder for this process. The lock is a listening socket in it: the kernel closes it when
 * the process ends, however it ends, so a dead process's lock is recognisable.
 *
 * A process first publishes its socket, then looks for others, and holds the folder if it finds none.
 * Of two that start together the later to look sees the other, so both never hold it; if each sees
 * the other, both step back and retry.
 */
export async function lockFolder(folder: string): Promise<FolderLock> {
  const place = await realpath(folder)
  if (process.platform === 'win32') return lockPipe(place)
  // A socket's path holds about 100 bytes; through a symbolic link every folder's is short.
  const link = await mkdtemp(join(tmpdir(), 'grove-'))
  const short = join(link, 'f')
  try {
    await symlink(place, short)
    for (let attempt = 1; ; attempt++) {
      const result = await tryLock(short, place)
      if ('release' in result) return await lockInKernel(place, result)
      if (result.holding || attempt === attempts) throw refused(place, result.pid)
      await wait(Math.random() * 10 * attempt)
    }
  } finally {
    await rm(link, { recursive: true, force: true })
  }
}

async function tryLock(short: string, place: string): Promise<FolderLock | Owner> {
  const me: Owner = { pid: process.pid, holding: false }
  const id = randomBytes(4).toString('hex')
  const name = `${prefix}${id}`
  const server = answering(me)
  // Bound and listening before it gets its final name: between the two calls a socket refuses
  // connections, like a dead one.
  await listen(server, join(short, id), place)
  await rename(join(short, id), join(short, name))
  const release = async () => {
    await rm(join(place, name), { force: true })
    await new Promise((closed) => server.close(closed))
  }

  const dead: string[] = []
  for (const other of await readdir(short)) {
    if (!other.startsWith(prefix) || other === name) continue
    const owner = await ask(join(short, other))
    if (owner) {
      await release()
      return owner
    }
    dead.push(other)
  }
  me.holding = true
  await Promise.all(dead.map((other) => rm(join(short, other), { force: true })))
  return { release }
}

/**
 * A second socket, in the kernel's abstract namespace without a file: a cleanup program may delete
 * the first, and a second process would not see it. Only Linux has such sockets.
 */
async function lockInKernel(place: string, lock: FolderLock): Promise<FolderLock> {
  if (process.platform !== 'linux') return lock
  const { dev, ino } = await stat(place)
  const path = `\0grove-${dev}-${ino}`
  const server = answering({ pid: process.pid, holding: true })
  try {
    await listen(server, path, place)
  } catch (error) {
    await lock.release()
    throw refused(place, (await ask(path))?.pid, error)
  }
  return {
    release: async () => {
      await new Promise((closed) => server.close(closed))
      await lock.release()
    },
  }
}

/** A named pipe ends with its process, and the system lets only one process create it. */
async function lockPipe(place: string): Promise<FolderLock> {
  const id = createHash('sha256').update(place.toLowerCase()).digest('hex').slice(0, 32)
  const path = `\\\\.\\pipe\\grove-${id}`
  const server = answering({ pid: process.pid, holding: true })
  try {
    await listen(server, path, place)
  } catch (error) {
    throw refused(place, (await ask(path))?.pid, error)
  }
  return { release: () => new Promise((closed) => server.close(() => closed())) }
}

function answering(me: Owner): Server {
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.end(JSON.stringify(me))
  })
  return server.unref()
}

function listen(server: Server, path: string, place: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      reject(
        new StartupError(
          `Grove cannot create its lock in ${place} (${error.code}): set GROVE_DATA to a folder on a local disk that this user can write to.`,
          { cause: error },
        ),
      )
    })
    server.listen({ path, exclusive: true }, resolve)
  })
}

/** The listener's reply; undefined if nobody listens any more. */
function ask(path: string): Promise<Owner | undefined> {
  return new Promise((resolve) => {
    let text = ''
    const silent: Owner = { pid: 0, holding: true }
    const socket = connect(path)
    socket.setTimeout(2000, () => done(silent))
    const done = (owner: Owner | undefined) => {
      socket.destroy()
      resolve(owner)
    }
    socket.on('error', ({ code }: NodeJS.ErrnoException) =>
      done(code === 'ECONNREFUSED' || code === 'ENOENT' ? undefined : silent),
    )
    socket.on('data', (bytes) => (text += bytes.toString()))
    socket.on('end', () => {
      try {
        done(JSON.parse(text) as Owner)
      } catch {
        done(silent)
      }
    })
  })
}

function refused(place: string, pid: number | undefined, cause?: unknown): StartupError {
  const holder = pid ? `process ${pid}` : 'another process'
  return new StartupError(
    `The data folder ${place} is in use by ${holder}: stop it, or set GROVE_DATA to another folder.`,
    { cause },
  )
}
