import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { typeScriptFlags } from '../../../../scripts/workspace.mjs'
import { vpcdDriver, withSystemPath } from './programs.ts'

/** The port of vpcd's first slot, which the driver reads as the channel `8C7B`. */
export const vpcdPort = 0x8c7b

const mark = 'GROVE_PRIVATE_READER'

/** Whether this process has its own network and `/run`. */
export const isPrivate = (): boolean => process.env[mark] === '1'

const apart = () => [
  '--net',
  '--mount',
  '--pid',
  '--fork',
  '--kill-child',
  '--mount-proc',
  ...(process.getuid?.() === 0 ? [] : ['--map-root-user']),
  '--',
]

/** Whether this machine allows network namespaces; many containers do not. */
export const mayBePrivate = (): boolean =>
  spawnSync('unshare', [...apart(), 'true'], { env: withSystemPath(), stdio: 'ignore' }).status ===
  0

/**
 * Runs a program in a namespace that hides its readers from others: vpcd listens on every address of
 * its network, and pcscd has one socket in `/run`. Without root, a user namespace grants the rights
 * for both.
 */
export async function runPrivately(
  file: string,
  args: readonly string[],
  { isSilent = false, flags = process.execArgv }: { isSilent?: boolean; flags?: string[] } = {},
): Promise<{ code: number; output: string }> {
  const child = spawn('unshare', [...apart(), process.execPath, ...flags, file, ...args], {
    env: { ...withSystemPath(), [mark]: '1' },
    stdio: ['ignore', isSilent ? 'pipe' : 'inherit', isSilent ? 'pipe' : 'inherit'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => (output += text))
  const [code] = (await once(child, 'close')) as [number | null]
  return { code: code ?? 1, output }
}

/**
 * A reader with two slots, "Virtual PCD 00 00" and "Virtual PCD 00 01", which programs of this
 * machine reach through its service's socket: set `PCSCLITE_CSOCK_NAME` to it.
 */
export async function startReader() {
  const folder = mkdtempSync(join(tmpdir(), 'grove-reader-'))
  const file = fileURLToPath(new URL('hold-card.ts', import.meta.url))
  const flags = [...typeScriptFlags(), file, folder]
  const child = spawn('unshare', [...apart(), process.execPath, ...flags], {
    env: { ...withSystemPath(), [mark]: '1' },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const ended = once(child, 'close')
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
  const answer = async () => {
    const { done } = await lines.next()
    if (done) throw new Error('The reader has ended')
  }
  const ask = async (line: string) => {
    child.stdin.write(`${line}\n`)
    await answer()
  }
  await answer()
  return {
    socket: join(folder, 'pcscd', 'pcscd.comm'),
    /** Inserts a new software card. If its seed starts with `mute`, it does not answer SELECT. */
    insert: (slot: 0 | 1, seed: string) => ask(`insert ${slot} ${seed}`),
    /** Removes the card immediately. */
    remove: (slot: 0 | 1) => ask(`remove ${slot}`),
    stop: async () => {
      // Its children end with it.
      child.kill('SIGKILL')
      await ended
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Runs a program and collects its output. */
export async function runProgram(
  command: string,
  args: readonly string[],
  { seconds = 60 }: { seconds?: number } = {},
): Promise<{ code: number; output: string; milliseconds: number }> {
  const started = performance.now()
  const child = spawn(command, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: withSystemPath(),
    timeout: seconds * 1000,
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (output += text))
  const [code] = (await once(child, 'close')) as [number | null]
  return { code: code ?? 1, output, milliseconds: performance.now() - started }
}

const mustRun = async (command: string, args: readonly string[]) => {
  const { code, output } = await runProgram(command, args)
  if (code !== 0) throw new Error(`${command} ${args.join(' ')} failed: ${output}`)
}

/**
 * Starts pcscd with a vpcd reader. Only if `isPrivate`: `folder` is mounted as `/run`, so that a
 * program outside reaches the service at `pcscd/pcscd.comm` in it.
 */
export async function startPrivateReader(
  folder = mkdtempSync(join(tmpdir(), 'grove-reader-')),
): Promise<{ stop: () => Promise<void> }> {
  if (!isPrivate()) throw new Error('A private reader needs a network of its own: runPrivately')
  await mustRun('ip', ['link', 'set', 'lo', 'up'])
  // vpcd writes the length and the body of a message separately; delayed acknowledgements cost 40 ms
  // each.
  const route = ['route', 'replace', 'local', '127.0.0.1', 'dev', 'lo', 'table', 'local']
  await runProgram('ip', [...route, 'quickack', '1'])
  await mustRun('mount', ['--bind', folder, '/run'])
  mkdirSync('/run/pcscd')
  const config = join(folder, 'reader.conf')
  const channel = `0x${vpcdPort.toString(16).toUpperCase()}`
  writeFileSync(
    config,
    [
      'FRIENDLYNAME "Virtual PCD"',
      `DEVICENAME /dev/null:${channel}`,
      `LIBPATH ${vpcdDriver}`,
      `CHANNELID ${channel}`,
      '',
    ].join('\n'),
  )
  const { output: help } = await runProgram('pcscd', ['--help'])
  const child = spawn(
    'pcscd',
    // Newer versions ask polkit, which is not running here.
    [
      '--foreground',
      '--config',
      config,
      ...(help.includes('disable-polkit') ? ['--disable-polkit'] : []),
    ],
    { stdio: ['ignore', 'ignore', 'ignore'], env: withSystemPath() },
  )
  const ended = once(child, 'exit')
  for (let tries = 0; !existsSync('/run/pcscd/pcscd.comm'); tries++) {
    if (child.exitCode !== null || tries > 200) throw new Error('pcscd does not start')
    await pause(25)
  }
  return {
    async stop() {
      child.kill('SIGTERM')
      await ended
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
