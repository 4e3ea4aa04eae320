import type { BinaryImage } from '@grove/contract/maple/connect/binary-image'
import { useLingui } from '@lingui/react/macro'
import { BadgeCheck, Ban, Download, Rocket, Trash2 } from 'lucide-react'
import { api } from '../../../../session/api.ts'
import { useConfirmed } from '../../../../ui/dialog/use-confirmed.ts'
import { useSave } from '../../../../ui/file/use-save.ts'
import { PanelAction } from '../../../../ui/panel/panel-action.tsx'
import { notify } from '../../../../ui/toast/notify.ts'
import { RollOut } from '../../base/roll-out.tsx'
import { images } from './binary-image.api.ts'
import { useImageProblem } from './image-problem.ts'

/** Changes an image's state, downloads its file, and deletes it. */
export function ImageActions({ image, onGone }: { image: BinaryImage; onGone: () => void }) {
  const { t } = useLingui()
  const save = useSave()
  const confirmed = useConfirmed()
  const problemOf = useImageProblem()
  const { id, name, version, revision, rights } = image
  const params = { id }
  const what = `${name} ${version}`

  const move = (state: 'verified' | 'released' | 'revoked') =>
    api.maple.post('/api/maple/binary_images/{id}/state', {
      params,
      ifMatch: revision,
      body: { state },
    })
  const verify = async () => {
    try {
      const saved = await move('verified')
      void images.refresh(saved)
      const by = saved.signedBy?.name ?? ''
      notify({ text: t`The hash is correct, and “${by}” signed it.` })
    } catch (error) {
      notify({ kind: 'failure', text: problemOf(error) })
    }
  }
  const release = () =>
    confirmed({
      question: {
        title: t`Release ${what}?`,
        text: t`Production devices can then get it.`,
        action: t({ message: 'Release', context: 'an image or an applet' }),
      },
      change: () => move('released'),
      done: () => t`${what} is released.`,
      refresh: images.refresh,
    })
  const revoke = () =>
    confirmed({
      question: {
        title: t`Revoke ${what}?`,
        text: t`Devices can no longer download it. Devices that have it keep it. This is final; the file can be uploaded again.`,
        action: t`Revoke`,
        isDanger: true,
      },
      change: () => move('revoked'),
      done: () => t`${what} is revoked.`,
      refresh: images.refresh,
    })
  const remove = () =>
    confirmed({
      question: {
        title: t`Delete ${what}?`,
        text: t`The file is deleted. Its events stay in the audit trail.`,
        action: t`Delete the image`,
        isDanger: true,
      },
      change: () =>
        api.maple.delete('/api/maple/binary_images/{id}', { params, ifMatch: revision }),
      done: () => t`${what} is deleted.`,
      onDone: onGone,
      refresh: images.refresh,
    })
  const download = () =>
    save(() => api.maple.download('/api/maple/binary_images/{id}/file', { params }), image.fileName)
  return (
    <>
      {rights.verify === null && (
        <PanelAction icon={BadgeCheck} label={t`Verify`} onAct={() => void verify()} />
      )}
      {rights.release === null && (
        <PanelAction icon={Rocket} label={t`Release…`} onAct={() => void release()} />
      )}
      {rights.revoke === null && (
        <PanelAction icon={Ban} label={t`Revoke…`} onAct={() => void revoke()} />
      )}
      <RollOut
        kind="image"
        id={id}
        product={image.productId}
        refusal={
          image.state === 'uploaded'
            ? t`Verify it first.`
            : image.state === 'revoked'
              ? t`It is revoked.`
              : undefined
        }
      />
      <PanelAction icon={Download} label={t`Download`} onAct={() => void download()} />
      <PanelAction icon={Trash2} label={t`Delete…`} onAct={() => void remove()} />
    </>
  )
}
