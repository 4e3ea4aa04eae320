import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import type { CplcFieldName } from '@grove/secure-element/cplc'

export interface CplcGroup {
  id: string
  label: MessageDescriptor
  note: MessageDescriptor
  fields: readonly CplcFieldName[]
}

/** The fields of a CPLC by the step of production that wrote them. */
export const cplcGroups: readonly CplcGroup[] = [
  {
    id: 'chip',
    label: msg`Chip`,
    note: msg`Who made the chip, and its type. Both are part of its identity.`,
    fields: ['icFabricator', 'icType'],
  },
  {
    id: 'system',
    label: msg`Operating system`,
    note: msg`The operating system and its release. With the chip, they make the platform.`,
    fields: ['osId', 'osReleaseDate', 'osReleaseLevel'],
  },
  {
    id: 'fabrication',
    label: msg`Fabrication`,
    note: msg`When the chip was made, its number and batch: the rest of its identity. Personalization cannot change them.`,
    fields: ['icFabricationDate', 'icSerial', 'icBatch'],
  },
  {
    id: 'module',
    label: msg`Module and card`,
    note: msg`Who put the chip into a module and the module into a card, and when.`,
    fields: ['moduleFabricator', 'modulePackagingDate', 'iccManufacturer', 'embeddingDate'],
  },
  {
    id: 'prePersonalization',
    label: msg`Pre-personalization`,
    note: msg`Who prepared the card before its issuer received it. Can be rewritten.`,
    fields: ['prePersonalizer', 'prePersonalizationDate', 'prePersonalizationEquipment'],
  },
  {
    id: 'personalization',
    label: msg`Personalization`,
    note: msg`Who wrote the card holder’s data. Can be rewritten, so it does not identify a chip.`,
    fields: ['personalizer', 'personalizationDate', 'personalizationEquipment'],
  },
]
