import { stageHeader } from '@grove/contract/stage.rules'
import { addLacking, isLacking } from '../api/lacking.ts'
import { auth } from './auth.ts'
import { stageOfAddress } from './stage-address.ts'
import { workingProvider } from './working-provider.ts'

/** A request with the stage of its page, if one is chosen. */
export async function withStage<Init extends RequestInit>(init: Init): Promise<Init> {
  const state = auth.getState()
  if (state.status === 'signedOut') return init
  const userId = state.session.userId ?? 'unnamed'
  // The first call of a page opened from a shared link, perhaps in a tab with another stage.
  const asked = stageOfAddress(userId)
  const kept = workingProvider(userId)
  if (!kept || (asked !== undefined && asked !== kept.id))
    await import('./providers.ts').then(({ setUpProvider }) => setUpProvider(userId))
  const stage = workingProvider(userId)
  if (!stage?.mobyApiKey || stage.isDefault) return init
  return { ...init, headers: { ...(init.headers as object), [stageHeader]: stage.id } }
}

type Init = RequestInit & { apiVersion?: string }

/**
 * Calls with the stage. A third-party service on another origin may not know the header, so that CORS
 * refuses it: the call is then made without.
 */
export async function fetchInStage(input: string, init: Init): Promise<Response> {
  const staged = isLacking(stageHeader) ? init : await withStage(init)
  try {
    return await auth.fetch(input, staged)
  } catch (error) {
    const isElsewhere = new URL(input, location.href).origin !== location.origin
    if (staged === init || !isElsewhere || init.method !== 'GET' || init.signal?.aborted)
      throw error
    const response = await auth.fetch(input, init)
    if (response.headers.has('platform')) throw error
    addLacking([stageHeader])
    return response
  }
}
