import { parseProblem } from '../../../../api/problem.ts'
import { auth } from '../../../../session/auth.ts'
import { services } from '../../../../session/services.ts'
import { withStage } from '../../../../session/stage-header.ts'

/** A stream of events of Maple; `EventSource` sends no token. @throws ApiProblem */
export async function openEvents(address: string, signal: AbortSignal): Promise<Response> {
  const { url, apiVersion } = services.maple
  const response = await auth.fetch(
    url + address,
    await withStage({ headers: { accept: 'text/event-stream' }, apiVersion, signal }),
  )
  if (!response.ok)
    throw parseProblem(await response.text(), response.status, response.headers.get('retry-after'))
  return response
}
