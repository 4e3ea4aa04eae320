import { emailCalls } from '@grove/contract/auth/email'
import type { FastifyInstance } from 'fastify'
import { setTimeout as pause } from 'node:timers/promises'
import { addCall } from '../../../core/http/add-call.ts'
import { findMailOrigin, mailOriginOf } from '../../../core/http/public-origin.ts'
import type { AuthContext } from '../context.ts'
import { checkLink, resetPassword, sendLink, validateEmail } from './email.service.ts'

export function addEmailRoutes(app: FastifyInstance, context: AuthContext): void {
  addCall(app, emailCalls, 'POST /api/send/validateEmail', async ({ body, actor, request }) => {
    const publicOrigin = mailOriginOf(context.config, request)
    await answerLater(sendLink(context, actor, { ...body, purpose: 'validate', publicOrigin }))
    return null
  })

  addCall(app, emailCalls, 'POST /api/send/resetPassword', async ({ body, actor, request }) => {
    const publicOrigin = mailOriginOf(context.config, request)
    await answerLater(sendLink(context, actor, { ...body, purpose: 'reset', publicOrigin }))
    return null
  })

  addCall(app, emailCalls, 'POST /api/user/checkEmailToken', async ({ body, actor }) => {
    await checkLink(context, actor, body)
    return null
  })

  addCall(app, emailCalls, 'POST /api/user/validateEmail', async ({ body, actor }) => ({
    email: await validateEmail(context, actor, body),
  }))

  addCall(app, emailCalls, 'POST /api/user/resetPassword', async ({ body, actor, request }) => ({
    email: await resetPassword(context, actor, {
      ...body,
      publicOrigin: findMailOrigin(context.config, request),
    }),
  }))
}

// Several times the duration of the work; negligible next to waiting for a mail.
const answerMs = 50

/**
 * The work for a known address is the same, but its rows exist, which costs the database a fraction
 * of a millisecond. A timer started with the work sends the answer, so its timing reveals nothing.
 */
async function answerLater(work: Promise<void>): Promise<void> {
  const answered = pause(answerMs)
  try {
    await work
  } finally {
    await answered
  }
}
