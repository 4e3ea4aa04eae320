import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { programArgs } from '../../../../../core/testing/run-script.ts'
import type { GatewayWorld } from './gateway-world.ts'

const source = (file: string) =>
  fileURLToPath(
    new URL(`../../../../../../../../packages/device-agent/src/${file}`, import.meta.url),
  )

/** One of the agent's programs in a child process, connected to the world. */
export const runAgent = (
  { address }: Pick<GatewayWorld, 'address'>,
  file: string,
  args: string[],
  env: NodeJS.ProcessEnv = {},
) => startAgent(file, ['--platform', `http://${address}`, ...args], env)

export function startAgent(file: string, args: string[], env: NodeJS.ProcessEnv = {}) {
  const child = spawn(process.execPath, programArgs(source(file), ...args), {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const said = { text: '' }
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (said.text += text))
  const ended = once(child, 'close') as Promise<[number | null]>
  const stop = async (signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM') => {
    child.kill(signal)
    await ended
  }
  return { said, stop, ended }
}
