import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { readConfig } from '../config.ts'
import type { Environment } from '../environment.ts'
import { openPreviewListener } from './preview-listener.ts'

const url = 'https://*.grove-preview.example'

async function portOf(env: Environment) {
  const listener = await openPreviewListener(readConfig(env))
  if (!listener) return undefined
  const { port } = listener.server.address() as AddressInfo
  const { pattern, isLoopback } = listener
  await listener.close()
  return { port, pattern, isLoopback }
}

async function whileTaken(task: (port: string) => Promise<void>) {
  const other = createServer()
  await once(other.listen(0, '127.0.0.1'), 'listening')
  await task(String((other.address() as AddressInfo).port))
  other.close()
}

test('two processes starting on one machine each find a port for previews', async () => {
  const first = await openPreviewListener(readConfig({ GROVE_PORT: '3000' }))
  const second = await openPreviewListener(readConfig({ GROVE_PORT: '3000' }))
  expect(first?.pattern).toMatch(/^http:\/\/\*\.localhost:\d+$/)
  expect(second?.pattern).not.toBe(first?.pattern)
  await Promise.all([first?.close(), second?.close()])
})

test('a configured port is used or startup fails', () =>
  whileTaken(async (port) => {
    for (const env of [
      { GROVE_PREVIEW_PORT: port },
      { GROVE_PREVIEW_PORT: port, GROVE_PREVIEW_URL: url },
    ])
      await expect(openPreviewListener(readConfig(env))).rejects.toThrow(
        `Previews cannot listen on 127.0.0.1:${port} (EADDRINUSE). Set GROVE_PREVIEW_PORT`,
      )
  }))

test('beyond this machine previews need their own domain', async () => {
  for (const env of [{ GROVE_HOST: '0.0.0.0' }, { GROVE_TRUST_PROXY: 'on' }])
    expect(await portOf(env)).toBeUndefined()
  const production = { GROVE_ENV: 'production', GROVE_CONSOLE_URL: 'https://grove.example.com' }
  expect(await portOf(production)).toBeUndefined()
  const on = { ...production, GROVE_PREVIEW_URL: url, GROVE_PREVIEW_PORT: '0' }
  expect(await portOf(on)).toMatchObject({ pattern: url, isLoopback: false })
  for (const near of [
    'https://grove.example.com:8443',
    'https://preview.grove.example.com',
    'https://*.grove.example.com',
    'https://example.com',
  ])
    expect(() => readConfig({ ...on, GROVE_PREVIEW_URL: near })).toThrow('a domain of its own')
  for (const wrong of [
    'preview.example',
    'https://a.example/path',
    'https://a.*.example',
    'ftp://a',
  ])
    expect(() => readConfig({ GROVE_PREVIEW_URL: wrong })).toThrow(
      'GROVE_PREVIEW_URL must be an origin without a path',
    )
})
