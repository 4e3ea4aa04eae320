import { randomUUID } from 'node:crypto'
import type { AdminProvider } from '@grove/contract/cedar/provider-admin'
import type { NewApiKey } from '@grove/contract/cedar/api-key'
import { stageRights } from '../../packages/contract/src/maple/access/right.rules.ts'
import { signedIn, type Account } from './account.ts'
import { expect, sample } from './test.ts'

/** Makes the developer a MapleDeveloper; returns calls in their working stage. */
export async function openStage(developer: Account, url: string) {
  const admin = await signedIn(url, sample.admin)
  const { user_id: ownerId } = await developer.call<{ user_id: string }>('/api/user/info')
  const { id } = await admin.call<AdminProvider>('/api/cedar/provider', {
    method: 'POST',
    body: { name: `Works ${randomUUID().slice(0, 8)}`, ownerId },
  })
  const { key } = await developer.call<NewApiKey>(`/api/provider/${id}/key`, {
    method: 'POST',
    body: { name: 'Bench', scopes: stageRights, expiresInDays: 30 },
  })
  return async <Answer>(path: string, body?: object): Promise<Answer> => {
    const response = await fetch(url + path, {
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    })
    expect(response.ok, path).toBe(true)
    return (await response.json()) as Answer
  }
}
