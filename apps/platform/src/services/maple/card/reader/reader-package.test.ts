import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { installPacked } from '../../../../../../../scripts/packed-program.ts'
import { startTestServer } from '../../../../core/testing/test-platform.ts'
import { maple } from '../../index.ts'

/** On macOS and Windows the program needs a library; Linux has a socket. */
const elsewhere = `--import=data:text/javascript,${encodeURIComponent(
  "Object.defineProperty(process, 'platform', { value: 'darwin' })",
)}`

/** Like `smartcard` on npm, with one reader and no card. */
const library = `
exports.Context = class {
  listReaders() {
    return [{ name: 'Desk reader 00', state: 0x10000, atr: null }]
  }
  close() {}
}`

test(
  'the reader runs from its installed tarball, and says what its machine lacks',
  { timeout: 120_000 },
  async () => {
    const installed = await installPacked('reader')
    onTestFinished(() => void installed.remove())
    expect(await installed.files()).toEqual([
      'LICENSE',
      'README.md',
      'dist/main.js',
      'package.json',
    ])
    const { stdout } = await installed.run('grove-reader', ['--help'])
    expect(stdout).toContain('grove-reader --platform URL')
    const nowhere = { PCSCLITE_CSOCK_NAME: join(installed.folder, 'nothing') }
    if (process.platform === 'linux')
      await expect(installed.run('grove-reader', ['--list'], nowhere)).rejects.toMatchObject({
        code: 1,
        stderr: expect.stringContaining('sudo apt-get install pcscd'),
      })
    const env = { NODE_OPTIONS: elsewhere }
    await expect(installed.run('grove-reader', ['--list'], env)).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^The PC\/SC library is not installed.*smartcard@3\.7\.0\n$/),
    })

    // Next to the program, where npx installs additional packages.
    await mkdir(join(installed.folder, 'node_modules/smartcard'))
    await writeFile(join(installed.folder, 'node_modules/smartcard/index.js'), library)
    const server = await startTestServer([maple])
    onTestFinished(() => server.close())
    await server.app.listen({ port: 0, host: '127.0.0.1' })
    const { port } = server.app.server.address() as AddressInfo
    const headers = await server.bearer(['ADMIN'])
    const url = '/api/maple/reader'
    const made = await server.app.inject({
      method: 'POST',
      url,
      headers,
      payload: { name: 'Desk' },
    })
    const { code } = made.json<{ code: string }>()
    const args = ['--platform', `http://127.0.0.1:${port}`, '--code', code]
    const reader = installed.start('grove-reader', args, env)
    const ended = once(reader, 'close')
    onTestFinished(async () => {
      reader.kill()
      await ended
    })
    await vi.waitFor(
      async () =>
        expect((await server.app.inject({ url, headers })).json()).toMatchObject({
          items: [{ name: 'Desk', state: 'connected', pcscName: 'Desk reader 00' }],
        }),
      { timeout: 60_000, interval: 100 },
    )
  },
)
