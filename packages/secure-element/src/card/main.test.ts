import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { typeScriptFlags } from '../../../../scripts/workspace.mjs'
import { toHex } from '../bytes.ts'
import { answerToReset } from './vpcd.ts'

const main = fileURLToPath(new URL('main.ts', import.meta.url))

/** The process, and a wait for a text in its output. */
function start(...args: string[]) {
  const child = spawn(process.execPath, [...typeScriptFlags(), main, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      said += text
      child.emit('said')
    })
  return {
    child,
    said: () => said,
    ended: once(child, 'close') as Promise<[number | null]>,
    async says(text: string) {
      while (!said.includes(text)) await once(child, 'said')
    },
  }
}

const ask = async (socket: Socket, hex: string): Promise<string> => {
  const body = Buffer.from(hex, 'hex')
  socket.write(Buffer.concat([Buffer.of(0, body.length), body]))
  const [reply] = (await once(socket, 'data')) as [Buffer]
  return toHex(reply.subarray(2))
}

test('a card waits for its reader, and comes back when the reader starts again @long', async () => {
  const server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  const first = once(server, 'connection') as Promise<[Socket]>
  const command = start('--vpcd', `127.0.0.1:${port}`, '--profile', 'jcop3', '--seed', 'again')
  const [socket] = await first
  expect(await ask(socket, '04')).toBe(toHex(answerToReset))
  const cplc = await ask(socket, '80CA9F7F00')
  expect(cplc).toMatch(/^9F7F2A47906B644700E4D80300/)
  server.close()
  socket.destroy()
  await command.says('is gone')
  server.listen(port, '127.0.0.1')
  const [again] = (await once(server, 'connection')) as [Socket]
  expect(await ask(again, '80CA9F7F00')).toBe(cplc)
  command.child.kill('SIGTERM')
  expect(await command.ended).toEqual([0, null])
  server.close()
}, 30_000)

test.each([
  [['--profile', 'none'], 'There is no profile none.'],
  [['--scp', '02', '--profile', 'scp03'], 'Use either --scp or --profile.'],
  [['--vpcd', 'nowhere'], '--vpcd is a host and a port'],
])(
  '%j is refused with what it may be',
  async (args, text) => {
    const { ended, said } = start(...args)
    expect(await ended).toEqual([1, null])
    expect(said()).toContain(text)
    expect(said()).toContain('npm run card -- [options]')
  },
  30_000,
)
