import fs, { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test, vi } from 'vitest'
import { readConfig } from '../../../../core/config.ts'
import { startSessionServer } from './testing/session-server.ts'

const folder = mkdtempSync(join(tmpdir(), 'grove-log-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('the server log contains no data of secret commands, whether they succeed or fail', async () => {
  let log = ''
  const stdout = 1
  const { write } = fs
  // How the logger writes.
  const spy = vi.spyOn(fs, 'write').mockImplementation((...given: unknown[]) => {
    const [fd, data] = given
    if (fd !== stdout) return Reflect.apply(write, fs, given) as void
    log += String(data)
    const done = given.at(-1) as (error: null, bytes: number) => void
    setImmediate(() => done(null, Buffer.byteLength(String(data))))
  })
  const config = readConfig({
    GROVE_DATA: folder,
    GROVE_LOG: 'debug',
    GROVE_CHANGES_PER_MINUTE: '0',
  })
  const server = await startSessionServer({ config })
  const secret = 'C0FFEE77DEADBEEF'
  try {
    const cplc = await server.card()
    const { id } = await server.open(cplc)
    await server.raw(id, `0020000008${secret}`)
    await server.raw(id, `0020000099${secret}`)
    await server.raw(id, `80D8008108${secret}`)
    await server.command(id, 'MplStoreData', { data: secret, isSecret: true })
    await server.command(id, 'MplStoreData', { data: `${secret}X`, isSecret: true })
    await server.command(id, 'MplSelect')
    await server.channel(id, '33')
    await server.breakCard(cplc, { powerCutBeforeWrite: 1 })
    await server.command(id, 'MplStoreData', { data: '4203112233' })
    await server.raw(id, `0020000008${secret}`)
  } finally {
    await server.close()
    spy.mockRestore()
  }
  expect(log).toContain('/api/maple/sessions/se')
  expect(log.toUpperCase()).not.toContain(secret)
}, 60_000)
