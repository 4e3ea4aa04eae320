import { stageHeader } from '@grove/contract/stage.rules'
import { auth } from './auth.ts'
import { stageOfAddress } from './stage-address.ts'
import { workingProvider } from './working-provider.ts'

/** A request with the stage that its page works with, if one is chosen. */
export async function withStage<Init extends RequestInit>(init: Init): Promise<Init> {
  const state = auth.getState()
  if (state.status === 'signedOut') return init
  const userId = state.session.userId ?? 'unnamed'
  // The first call of a page that a shared address opened, perhaps in a tab with another stage.
  const asked = stageOfAddress(userId)
  const kept = workingProvider(userId)
  if (!kept || (asked !== undefined && asked !== kept.id))
    await import('./providers.ts').then(({ setUpProvider }) => setUpProvider(userId))
  const stage = workingProvider(userId)
  if (!stage?.mobyApiKey || stage.isDefault) return init
  return { ...init, headers: { ...(init.headers as object), [stageHeader]: stage.id } }
}
