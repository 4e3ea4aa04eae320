import {
  binaryImageSorting,
  binaryImageStates,
} from '@grove/contract/maple/connect/binary-image.rules'
import { defineList } from '../../../../ui/table/list-definition.ts'
import { withOne } from '../../../../ui/table/list-search.ts'

export const imageList = defineList({
  name: 'maple.binary_image',
  item: 'image',
  sorting: binaryImageSorting,
  filters: { state: binaryImageStates },
  columns: ['version', 'state', 'bytes', 'createdAt'],
})

/** What the service is asked for. */
export const imageQuery = (page: ReturnType<typeof imageList.page>) =>
  withOne(page, 'state', binaryImageStates)
