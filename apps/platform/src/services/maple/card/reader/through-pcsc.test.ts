import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { sql } from 'kysely'
import { expect, test, vi } from 'vitest'
import { newCard } from '@grove/secure-element/card/card-state'
import { whyNot } from '@grove/secure-element/pcsc/check'
import { startReader } from '@grove/secure-element/pcsc/private-reader'
import { typeScriptFlags } from '../../../../../../../scripts/workspace.mjs'
import { startTestServer } from '../../../../core/testing/test-platform.ts'
import { maple } from '../../index.ts'

const program = fileURLToPath(
  new URL('../../../../../../../packages/reader/src/main.ts', import.meta.url),
)
const seed = 'through pcscd'
const { cplc } = newCard({ seed })

test.skipIf(whyNot() !== undefined)(
  'a session reaches a card behind pcscd, and says when it is gone (needs pcscd, vsmartcard-vpcd, pcsc-tools, opensc)',
  { timeout: 120_000 },
  async () => {
    const server = await startTestServer([maple])
    await server.app.listen({ port: 0, host: '127.0.0.1' })
    const { port } = server.app.server.address() as AddressInfo
    const headers = await server.bearer(['ADMIN'])
    const ask = async (method: 'GET' | 'POST', url: string, payload?: object) =>
      (
        await server.app.inject({
          method,
          url: `/api/maple/${url}`,
          headers,
          ...(payload && { payload }),
        })
      ).json()
    const reader = await startReader()
    await reader.insert(0, seed)
    const { code } = await ask('POST', 'reader', { name: 'Desk' })
    const child = spawn(
      process.execPath,
      [...typeScriptFlags(), program, '--platform', `http://127.0.0.1:${port}`, '--code', code],
      {
        env: { ...process.env, PCSCLITE_CSOCK_NAME: reader.socket },
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    )
    let said = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => (said += text))
    const ended = once(child, 'close')
    const waiting = { timeout: 60_000, interval: 100 }
    try {
      await vi.waitFor(
        async () =>
          expect(await ask('GET', 'reader')).toMatchObject({
            items: [{ state: 'connected', cplc, pcscName: 'Virtual PCD 00 00' }],
          }),
        waiting,
      )
      await sql`insert into maple.element (cplc) values (${cplc})`.execute(server.platform.db)
      const { id } = await ask('POST', 'sessions/se', { cplc })
      const raw = (command: string) => ask('POST', `sessions/se/${id}/raw`, { command })
      expect(await raw('00A4040000')).toMatchObject({
        state: 'done',
        items: [{ statusWord: '9000', reply: expect.stringMatching(/^6F..8408A000000151000000/) }],
      })
      expect(await raw('80CA9F7F00')).toMatchObject({ items: [{ reply: `9F7F2A${cplc}9000` }] })
      await reader.stop()
      await raw('80CA006600')
      expect(await ask('GET', `sessions/se/${id}`)).toMatchObject({ state: 'failed' })
      expect(said).toContain(`The card in the reader is ${cplc}.`)
    } finally {
      child.kill('SIGTERM')
      await ended
      await server.close()
      await reader.stop().catch(() => {})
    }
  },
)
