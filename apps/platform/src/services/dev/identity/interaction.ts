import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Provider } from 'oidc-provider'
import { sampleIdentities } from './sample-identities.ts'

type Interaction = Awaited<ReturnType<Provider['interactionDetails']>>

/** The sign-in in progress in this browser; undefined if it has ended or belongs to another. */
export async function findInteraction(
  provider: Provider,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Interaction | undefined> {
  const { uid } = request.params as { uid: string }
  try {
    const interaction = await provider.interactionDetails(request.raw, reply.raw)
    return interaction.uid === uid ? interaction : undefined
  } catch (error) {
    if (error instanceof Error && error.name === 'SessionNotFound') return undefined
    throw error
  }
}

/**
 * Signs in as a sample identity and grants the requested scopes; any other value refuses the sign-in.
 * Returns the URL that the browser opens next.
 */
export async function answerInteraction(
  provider: Provider,
  request: FastifyRequest,
  reply: FastifyReply,
  identity: unknown,
): Promise<string | undefined> {
  const interaction = await findInteraction(provider, request, reply)
  if (!interaction) return undefined
  const chosen = sampleIdentities.find(({ sub }) => sub === identity)
  const result = chosen
    ? await consent(provider, interaction, chosen.sub)
    : { error: 'access_denied', error_description: 'No identity was chosen.' }
  return provider.interactionResult(request.raw, reply.raw, result)
}

async function consent(provider: Provider, { params }: Interaction, accountId: string) {
  const grant = new provider.Grant({ accountId, clientId: String(params['client_id']) })
  grant.addOIDCScope(String(params['scope']))
  return {
    login: { accountId },
    select_account: {},
    consent: { grantId: await grant.save() },
  }
}
