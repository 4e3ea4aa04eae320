import { once } from 'node:events'
import { type AddressInfo } from 'node:net'
import type { Server } from 'node:http'
import { readFile } from 'node:fs/promises'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { startForeignServer } from '../../../../e2e/foreign/auth-server.ts'
import { createReferenceServer } from '../../reference-server.mjs'
import { check } from '../../src/cli/check.ts'
import { createAuthClient } from '../../src/index.ts'

// On a busy machine a check takes seconds.
vi.setConfig({ testTimeout: 30_000 })

const account = { email: 'ann@grove.test', password: 'Grove2026!' }

async function listen(server: Server): Promise<string> {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

async function reference(): Promise<string> {
  const url = await listen(createReferenceServer())
  const client = createAuthClient({ authUrl: url, realm: 'grove' })
  await client.signUp(account)
  client.close()
  return url
}

test('a service written from the specification alone fits; it hides Date and Retry-After', async () => {
  const server = await startForeignServer()
  onTestFinished(() => server.close())
  server.settings.redirect = 'https://app.example/login/callback'
  server.add(account.email, account.password, ['DEVELOPER'])
  const { origin: url, realm, jwksUrl, issuer } = server
  const given = { url, realm, ...account, jwksUrl, issuer, audience: 'account', broker: 'acme' }
  const findings = await check({ ...given, origin: 'https://app.example' })
  expect(findings.filter(({ level }) => level === 'wrong')).toEqual([])
  expect(findings.filter(({ level }) => level === 'skipped')).toEqual([])
  expect(findings.filter(({ level }) => level === 'warning')).toEqual([
    expect.objectContaining({
      code: 'cors_exposed',
      what: expect.stringContaining('Date and Retry-After') as string,
    }),
  ])
})

describe('the reference server', () => {
  test('is about a hundred lines', async () => {
    const text = await readFile(new URL('../../reference-server.mjs', import.meta.url), 'utf8')
    expect(text.split('\n').length).toBeLessThan(150)
  })

  test('signs the client in, refreshes, verifies and signs out', async () => {
    const url = await reference()
    const client = createAuthClient({
      authUrl: url,
      realm: 'grove',
      verification: { jwksUrl: '/.well-known/jwks.json' },
    })
    onTestFinished(() => client.close())
    await expect(client.signIn({ ...account, provider: 'other' })).rejects.toMatchObject({
      code: 'wrong_credentials',
    })
    expect(await client.signIn({ ...account, provider: 'grove' })).toBe(true)
    const first = await client.getAuthorization()
    expect(await client.refresh()).toBe(true)
    expect(await client.getAuthorization()).not.toBe(first)
    expect(await client.tokenDetails()).toMatchObject({ is_valid: true, is_developer: true })
    expect(await client.emailExists(account.email)).toBe(true)
    expect(await client.getAnonymousAuthorization()).toMatch(/^Bearer /)
    await client.signOut()
    expect(client.getState().status).toBe('signedOut')
  })
})
