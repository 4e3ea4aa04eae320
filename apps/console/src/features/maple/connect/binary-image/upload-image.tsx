import { largestImage } from '@grove/contract/maple/connect/binary-image.rules'
import { readMcuboot } from '@grove/contract/maple/connect/mcuboot.rules'
import { useLingui } from '@lingui/react/macro'
import { api } from '../../../../session/api.ts'
import type { NewItem } from '../../../../ui/panel/create-item.tsx'
import { UploadPanel } from '../../base/upload/upload-panel.tsx'
import { images } from './binary-image.api.ts'
import { useImageProblem } from './image-problem.ts'
import { ImageView } from './image-view.tsx'

const readImage = async (file: File) => readMcuboot(new Uint8Array(await file.arrayBuffer()))

export function UploadImage(item: NewItem) {
  const { t } = useLingui()
  const problemOf = useImageProblem()
  return (
    <UploadPanel
      {...item}
      title={t`New image`}
      invitation={t`Drop a signed image here`}
      accept=".bin,.img"
      largest={largestImage}
      read={readImage}
      problemOf={problemOf}
      upload={async (file, sending) => {
        const saved = await api.maple.upload('/api/maple/binary_images', {
          fields: {},
          file,
          ...sending,
        })
        void images.refresh(saved)
        return saved.id
      }}
    >
      {(image) => <ImageView image={image} />}
    </UploadPanel>
  )
}
