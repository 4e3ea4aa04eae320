import { Type } from 'typebox'
import { changes, creates, defineCalls, deletes, listsBy, scoped } from '../../call.ts'
import { artifact, ArtifactMove, fileDownload, moves } from '../../core/artifact.ts'
import { artifactStates } from '../../core/artifact.rules.ts'
import {
  Name,
  noContent,
  Nullable,
  optional,
  SearchText,
  Strict,
  Timestamp,
  Uuid,
} from '../../shapes.ts'
import {
  binaryImageSearchLimit,
  binaryImageSorting,
  keyAlgorithms,
  largestImage,
  maxImageNameLength,
  maxKeyNameLength,
  maxPemLength,
  maxImageKeys,
} from './binary-image.rules.ts'

const Tlv = Type.Object({
  type: Type.Integer(),
  isProtected: Type.Boolean(),
  offset: Type.Integer(),
  length: Type.Integer(),
  hex: Type.String(),
})

/** The parsed contents of the file (`mcuboot.rules.ts`). */
const Mcuboot = Type.Object({
  version: Type.String(),
  loadAddress: Type.Integer(),
  headerSize: Type.Integer(),
  imageSize: Type.Integer(),
  protectedSize: Type.Integer(),
  flags: Type.Integer(),
  header: Type.String(),
  tlvs: Type.Array(Tlv),
  hash: Type.String(),
  end: Type.Integer(),
  bytes: Type.Integer(),
})

const Image = Type.Object({
  ...artifact,
  /** The product whose devices it is for; null for any. */
  productId: Nullable(Uuid),
  mcuboot: Mcuboot,
  /** The key whose signature was verified. */
  signedBy: Nullable(
    Type.Object({
      name: Type.String(),
      keyHash: Type.String(),
      algorithm: Type.Enum(keyAlgorithms),
    }),
  ),
  rights: Type.Object(moves),
})
export type BinaryImage = Type.Static<typeof Image>

const ImageKey = Type.Object({
  id: Uuid,
  serviceId: Nullable(Type.String()),
  name: Type.String(),
  algorithm: Type.Enum(keyAlgorithms),
  /** As images name it: the SHA-256 of the public key. */
  keyHash: Type.String(),
  pem: Type.String(),
  createdBy: Nullable(Type.String()),
  createdAt: Timestamp,
})
export type ImageKey = Type.Static<typeof ImageKey>

/** A P-256 key of no one: the base point. */
const examplePem =
  '-----BEGIN PUBLIC KEY-----\nMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEaxfR8uEsQkf4vOblY6RA8ncDfYEt\n6zOg9KE5RdiYwpZP40Li/hp/m47n60p8D54WK84zV2sxXs7LtkBoN79R9Q==\n-----END PUBLIC KEY-----\n'

const access = scoped('product.read', 'product.change')

export const binaryImageCalls = defineCalls('maple', access, {
  'GET /api/maple/binary_images': {
    summary: 'List images of firmware',
    description: `A search finds by the beginnings of words of a name, and looks at the first ${binaryImageSearchLimit} matches.`,
    ...listsBy(Image, binaryImageSorting, {
      id: Uuid,
      q: SearchText('The beginnings of words of a name'),
      state: Type.Enum(artifactStates),
      productId: Uuid,
      /** What devices can get, verified or released: `product` for one product, `any` for any. */
      installable: Type.Enum(['product', 'any']),
    }),
  },
  'POST /api/maple/binary_images': {
    summary: 'Upload an image of MCUboot',
    description: `At most ${largestImage / 1024 / 1024} MB. A file that is not a whole image is refused with what is wrong and at which byte.`,
    form: Strict({}),
    ...creates(
      Image,
      'file_missing',
      'file_too_large',
      'binary_image_unreadable',
      'already_exists',
      'service_suspended',
    ),
  },
  'PUT /api/maple/binary_images/{id}': {
    summary: 'Name an image, or say which product it is for',
    body: Strict(optional({ name: Name(maxImageNameLength), productId: Nullable(Uuid) })),
    ...changes(Image),
  },
  'POST /api/maple/binary_images/{id}/state': {
    summary: 'Verify, release or revoke an image',
    description:
      'To verify it, the server hashes the stored file and checks a signature with the keys of the service provider. Devices of products in development can get a verified image, all others a released one.',
    body: ArtifactMove,
    ...changes(
      Image,
      'transition_refused',
      'binary_image_refused',
      'file_damaged',
      'storage_unavailable',
    ),
  },
  'DELETE /api/maple/binary_images/{id}': {
    summary: 'Delete an image',
    ...deletes('binary_image_in_use'),
  },
  'GET /api/maple/binary_images/{id}/file': {
    summary: 'Download an image',
    ...fileDownload,
  },
  'GET /api/maple/binary_images/keys': {
    summary: 'List the keys that images are signed by',
    response: Type.Object({ items: Type.Array(ImageKey) }),
  },
  'POST /api/maple/binary_images/keys': {
    summary: 'Add a key that images are signed by',
    description: `A public key in PEM: ECDSA on P-256, RSA with 2048 bits or Ed25519. A service provider has at most ${maxImageKeys}.`,
    body: Strict({
      name: Name(maxKeyNameLength),
      pem: Type.String({ minLength: 1, maxLength: maxPemLength, examples: [examplePem] }),
    }),
    ...creates(ImageKey, 'already_exists', 'limit_reached'),
  },
  'DELETE /api/maple/binary_images/keys': {
    summary: 'Remove a key that images are signed by',
    description: 'Images that were verified with it stay as they are.',
    query: Strict({ id: Uuid }),
    ...noContent,
    problems: ['not_found'],
  },
  'GET /api/maple/device/image/{id}': {
    summary: 'Download an image, as a device',
    description:
      'With the secret of the device as bearer. It takes a range of bytes, so that a download continues where it broke off; the ETag is the SHA-256 of the file.',
    access: 'public',
    response: Type.Any(),
    produces: 'application/octet-stream',
    problems: ['unauthorized', 'binary_image_closed', 'file_damaged', 'storage_unavailable'],
  },
})
