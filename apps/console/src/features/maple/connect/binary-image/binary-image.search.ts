import { artifactStates } from '@grove/contract/core/artifact.rules'
import { binaryImageSorting } from '@grove/contract/maple/connect/binary-image.rules'
import { defineList } from '../../../../ui/table/list-definition.ts'
import { withOne } from '../../../../ui/table/list-search.ts'

export const imageList = defineList({
  name: 'maple.binary_image',
  item: 'image',
  sorting: binaryImageSorting,
  filters: { state: artifactStates },
  columns: ['version', 'state', 'bytes', 'createdAt'],
})

/** The query sent to the service. */
export const imageQuery = (page: ReturnType<typeof imageList.page>) =>
  withOne(page, 'state', artifactStates)
