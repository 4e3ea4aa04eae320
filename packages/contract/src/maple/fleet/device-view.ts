import { Type } from 'typebox'
import { changes, creates, defineCalls, deletes } from '../../call.ts'
import { Name, optional, stored, Strict, Uuid } from '../../shapes.ts'
import { maxViewNameLength, maxViewSearchLength } from './device-view.rules.ts'

const View = Type.Object({
  id: Uuid,
  name: Type.String(),
  /** The query of the page: filters, sorting and columns. */
  search: Type.String(),
  ...stored,
})
export type DeviceView = Type.Static<typeof View>

const values = {
  name: Name(maxViewNameLength),
  search: Type.String({ maxLength: maxViewSearchLength, examples: ['type=iot&sort=createdAt'] }),
}
const query = Strict({ id: Uuid })
const access = { right: 'device.read', isScoped: true } as const

export const deviceViewCalls = defineCalls('maple', access, {
  'GET /api/maple/device/view': {
    summary: 'List one’s own saved views of the devices, by name',
    response: Type.Object({ items: Type.Array(View) }),
  },
  'POST /api/maple/device/view': {
    summary: 'Save a view of the devices',
    body: Strict(values),
    ...creates(View, 'already_exists', 'limit_reached'),
  },
  'PUT /api/maple/device/view': {
    summary: 'Rename or change a saved view',
    query,
    body: Strict(optional(values)),
    ...changes(View, 'already_exists'),
  },
  'DELETE /api/maple/device/view': { summary: 'Delete a saved view', query, ...deletes() },
})
