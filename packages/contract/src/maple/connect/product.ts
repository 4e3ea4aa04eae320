import { Type } from 'typebox'
import { changes, creates, defineCalls, deletes, listsBy, scoped } from '../../call.ts'
import {
  Count,
  Name,
  Nullable,
  optional,
  Right,
  SearchText,
  stored,
  Strict,
  Uuid,
} from '../../shapes.ts'
import { deviceStates } from '../fleet/device.rules.ts'
import { profileIdPattern } from '../fleet/element.rules.ts'
import {
  maxModelLength,
  maxProductNameLength,
  maxRevisionLength,
  mapleProductSearchLimit,
  mapleProductSorting,
  mapleProductStates,
  maxProducts,
  maxRevisions,
  productCountLimit,
} from './product.rules.ts'

const Product = Type.Object({
  id: Uuid,
  serviceId: Nullable(Type.String()),
  name: Type.String(),
  model: Nullable(Type.String()),
  /** Hardware revisions, oldest first. */
  revisions: Type.Array(Type.String()),
  state: Type.Enum(mapleProductStates),
  /** What its secure elements are, and the image that its devices should have. */
  profileId: Nullable(Type.String()),
  imageId: Nullable(Uuid),
  /** What decodes the payloads of its devices, and encodes their commands. */
  handlerId: Nullable(Uuid),
  createdBy: Nullable(Type.String()),
  rights: Type.Object({
    production: Right('transition_refused', 'binary_image_closed'),
    endOfLife: Right('transition_refused'),
    claim: Right('product_ended'),
  }),
  ...stored,
})
export type MapleProduct = Type.Static<typeof Product>

const name = Name(maxProductNameLength)
const values = optional({
  model: Nullable(Name(maxModelLength)),
  revisions: Type.Array(Name(maxRevisionLength), { maxItems: maxRevisions }),
  profileId: Nullable(Type.String({ pattern: profileIdPattern, examples: ['transit-card'] })),
  imageId: Nullable(Uuid),
  handlerId: Nullable(Uuid),
})

const access = scoped('product.read', 'product.change')

export const mapleProductCalls = defineCalls('maple', access, {
  'GET /api/maple/products': {
    summary: 'List the products of a service provider',
    description: `A search finds by the beginnings of words of a name or by the beginning of a model, and looks at the first ${mapleProductSearchLimit} matches of each.`,
    ...listsBy(Product, mapleProductSorting, {
      id: Uuid,
      q: SearchText('The beginnings of words of a name, or the beginning of a model'),
      state: Type.Enum(mapleProductStates),
    }),
  },
  'POST /api/maple/products': {
    summary: 'Create a product',
    description: `It begins in development. A service provider has at most ${maxProducts}.`,
    body: Strict({ name, ...values }),
    ...creates(Product, 'limit_reached', 'service_suspended', 'binary_image_closed'),
  },
  'PUT /api/maple/products/{id}': {
    summary: 'Change a product',
    body: Strict({ ...optional({ name }), ...values }),
    ...changes(Product, 'binary_image_closed'),
  },
  'POST /api/maple/products/{id}/state': {
    summary: 'Move a product through its life cycle',
    description:
      'In production its devices get released images alone. At its end of life it has no claim codes that can be used; devices that it has keep working.',
    body: Strict({ state: Type.Enum(['production', 'endOfLife']) }),
    ...changes(Product, 'transition_refused', 'binary_image_closed'),
  },
  'DELETE /api/maple/products/{id}': {
    summary: 'Delete a product that no device is of',
    description: 'Its claim codes go with it.',
    ...deletes('product_in_use'),
  },
  'GET /api/maple/products/{id}/devices': {
    summary: 'Count the devices of a product by state',
    description: `Each state up to ${productCountLimit}.`,
    response: Type.Object({
      states: Type.Array(Type.Object({ state: Type.Enum(deviceStates), ...Count.properties })),
    }),
  },
})
