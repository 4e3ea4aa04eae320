import { msg } from '@lingui/core/macro'
import { createFileRoute } from '@tanstack/react-router'
import { images } from '../../../../features/maple/connect/binary-image/binary-image.api.ts'
import { ImageList } from '../../../../features/maple/connect/binary-image/binary-image.list.tsx'
import { imageList } from '../../../../features/maple/connect/binary-image/binary-image.search.ts'
import { prefetchList } from '../../../../ui/table/prefetch-list.ts'

export const Route = createFileRoute('/_app/dashboard/maple/binary_images')({
  staticData: { title: msg`Binary images` },
  validateSearch: imageList.read,
  loaderDeps: ({ search }) => imageList.deps(search),
  loader: ({ context, deps }) => prefetchList(images, context, deps),
  component: ImageList,
})
