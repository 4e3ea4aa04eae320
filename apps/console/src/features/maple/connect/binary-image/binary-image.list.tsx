import type { BinaryImage } from '@grove/contract/maple/connect/binary-image'
import { artifactStates } from '@grove/contract/core/artifact.rules'
import { plural } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import { Cpu, KeyRound } from 'lucide-react'
import { useState } from 'react'
import { Bytes } from '../../../../ui/i18n/bytes.tsx'
import { onDemand, usePrefetch } from '../../../../ui/kit/on-demand.tsx'
import { momentColumn, nameColumn, stateColumn } from '../../../../ui/table/columns.tsx'
import { optionsOf, ResourceList } from '../../../../ui/table/resource-list.tsx'
import type { DataColumn } from '../../../../ui/table/types.ts'
import { useResourceList } from '../../../../ui/table/use-resource-list.ts'
import { images } from './binary-image.api.ts'
import { ImageStateBadge, useImageStateWords } from './binary-image.labels.tsx'
import { imageList } from './binary-image.search.ts'

const ImagePanel = onDemand(
  () => import('./binary-image.panel.tsx').then((file) => file.ImagePanel),
  'maple-image',
)
const UploadImage = onDemand(
  () => import('./upload-image.tsx').then((file) => file.UploadImage),
  'maple-image',
)
const ImageKeys = onDemand(
  () => import('./image-keys.tsx').then((file) => file.ImageKeys),
  'maple-image',
)

/** The firmware images, and beside them one of them or a drop zone for a file. */
export function ImageList() {
  const { t } = useLingui()
  const words = useImageStateWords()
  const columns = useImageColumns()
  const [isShowingKeys, setShowingKeys] = useState(false)
  usePrefetch(ImageKeys)
  const keysButton = (
    <button type="button" className="button" onClick={() => setShowingKeys(true)}>
      <KeyRound size={16} aria-hidden />
      <Trans>Signing keys</Trans>
    </button>
  )
  return (
    <>
      <ResourceList
        list={useResourceList(images)}
        title={t`Binary images`}
        description={t`Device firmware in MCUboot format: verified with your keys, then released.`}
        icon={Cpu}
        columns={columns}
        rowLabel={({ name, version }) => `${name} ${version}`}
        totalText={(count, more) =>
          t`${plural(count, { one: `#${more} image`, other: `#${more} images` })}`
        }
        searchLabel={t`Search by name`}
        filters={[{ name: 'state', label: t`State`, options: optionsOf(words), isSingle: true }]}
        tools={keysButton}
        empty={{
          title: t`No images yet`,
          text: t`Drop a signed image to inspect its header, tags and bytes. Add the public key that you sign with, and verify the image.`,
          hint: keysButton,
        }}
        create={{ label: t`New image`, form: UploadImage }}
        panel={ImagePanel}
        isEditable
      />
      {isShowingKeys && <ImageKeys onClose={() => setShowingKeys(false)} />}
    </>
  )
}

function useImageColumns(): DataColumn<BinaryImage>[] {
  const { t } = useLingui()
  return [
    nameColumn(imageList, { id: 'name', header: t`Name`, text: ({ name }) => name }),
    {
      id: 'version',
      header: t({ message: 'Version', context: 'of firmware' }),
      cell: ({ version }) => version,
    },
    stateColumn(
      t`State`,
      ImageStateBadge,
      artifactStates.map((state) => ({ state })),
    ),
    {
      id: 'bytes',
      header: t`Size`,
      cell: ({ bytes }) => <Bytes value={bytes} />,
      align: 'end',
      phone: 'hidden',
    },
    momentColumn('createdAt', t({ message: 'Uploaded', context: 'when' }), {
      isSecondary: true,
      phone: 'hidden',
    }),
  ]
}
