import { softwareCardCalls } from '@grove/contract/maple/card/software-card'
import type { FastifyInstance } from 'fastify'
import { addCall } from '../../../../core/http/add-call.ts'
import type { KeyContext } from '../key/key-provider.ts'
import {
  createSnapshot,
  listSnapshots,
  removeSnapshot,
  restoreCard,
} from './card-snapshot.service.ts'
import {
  copyCard,
  createCard,
  listCards,
  removeCard,
  resetCard,
  updateCard,
} from './software-card.service.ts'

export function registerSoftwareCard(app: FastifyInstance, context: KeyContext): void {
  addCall(app, softwareCardCalls, 'GET /api/maple/software_cards', ({ actor, query }) =>
    listCards(context, actor, query),
  )

  addCall(app, softwareCardCalls, 'POST /api/maple/software_cards', ({ actor, body }) =>
    createCard(context, actor, body),
  )

  addCall(
    app,
    softwareCardCalls,
    'PUT /api/maple/software_cards',
    ({ actor, query: { id }, revision, body }) =>
      updateCard(context, actor, { id, revision, change: body }),
  )

  addCall(
    app,
    softwareCardCalls,
    'DELETE /api/maple/software_cards',
    ({ actor, query: { id }, revision }) => removeCard(context, actor, { id, revision }),
  )

  addCall(
    app,
    softwareCardCalls,
    'POST /api/maple/software_cards/copy',
    ({ actor, query: { id }, body: { name } }) => copyCard(context, actor, { id, name }),
  )

  addCall(
    app,
    softwareCardCalls,
    'POST /api/maple/software_cards/reset',
    ({ actor, query: { id }, revision }) => resetCard(context, actor, { id, revision }),
  )

  addCall(
    app,
    softwareCardCalls,
    'GET /api/maple/software_cards/snapshots',
    ({ actor, query: { id } }) => listSnapshots(context, actor, { id }),
  )

  addCall(
    app,
    softwareCardCalls,
    'POST /api/maple/software_cards/snapshots',
    ({ actor, query, body }) => createSnapshot(context, actor, { ...query, ...body }),
  )

  addCall(
    app,
    softwareCardCalls,
    'DELETE /api/maple/software_cards/snapshots',
    ({ actor, query: { id } }) => removeSnapshot(context, actor, { id }),
  )

  addCall(
    app,
    softwareCardCalls,
    'POST /api/maple/software_cards/restore',
    ({ actor, revision, body }) => restoreCard(context, actor, { ...body, revision }),
  )
}
