import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Provider } from 'oidc-provider'
import { sampleIdentities } from './sample-identities.ts'

type Interaction = Awaited<ReturnType<Provider['interactionDetails']>>

/** The sign-in that this browser is in the middle of; undefined when it ended or is another's. */
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
 * Signs in as a sample identity and grants what was asked; anybody else is a refusal.
 * Answers where the browser goes next.
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
    : { error: 'access_denied', error_description: 'Nobody was chosen.' }
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
