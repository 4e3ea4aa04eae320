import { expect, vi } from 'vitest'
import type { PurposeKey } from '@grove/contract/maple/card/purpose-key'
import type { PrivilegeName } from '@grove/secure-element/privileges'
import { addDomain } from '../../session/testing/card-with-domain.ts'
import type { SessionServer } from '../../session/testing/session-server.ts'

type Server = Pick<SessionServer, 'app' | 'admin' | 'db'>

/** Gives a domain of a card a key, and waits until the card has it. */
export async function giveKey({ app, admin }: Server, cplc: string, body: object): Promise<void> {
  const url = '/api/maple/se/keys/purpose'
  const given = await app.inject({
    method: 'POST',
    url,
    headers: admin,
    payload: { cplc, ...body },
  })
  expect([given.statusCode, given.body]).toEqual([201, given.body])
  const { id } = given.json<PurposeKey>()
  await vi.waitFor(async () => {
    const response = await app.inject({ url: `${url}?cplc=${cplc}`, headers: admin })
    const { items } = response.json<{ items: PurposeKey[] }>()
    expect(items.find((key) => key.id === id)?.state).toBe('active')
  }, 10_000)
}

/** Gives a card a delegated domain, and its issuer keys that sign tokens and verify receipts. */
export async function delegate(
  server: Server,
  cplc: string,
  {
    token = 'AES',
    privileges = ['delegatedManagement'],
  }: { token?: string | null; privileges?: readonly PrivilegeName[] } = {},
): Promise<string> {
  await addDomain(server, cplc, privileges)
  if (token !== null) await giveKey(server, cplc, { purpose: 'token', kind: token })
  await giveKey(server, cplc, { purpose: 'receipt', kind: 'AES' })
  return cplc
}
