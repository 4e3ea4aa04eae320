import { largestPackage } from '@grove/contract/cedar/package.rules'
import { megabytes } from '@grove/contract/cedar/storage.rules'
import type { I18n } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { problemText } from '../../../../api/problem-text.ts'
import { ApiProblem, NetworkProblem } from '../../../../api/problem.ts'
import { FileUnreadable } from '../../parts/use-file-upload.ts'

/** Refuses, before the upload, what the platform would refuse anyway; the platform checks the rest. */
export function packageRefusal({ name, size }: File): ApiProblem | undefined {
  if (!/\.(zip|ma)$/i.test(name)) return new ApiProblem({ code: 'package_type' }, 422)
  if (size === 0) return new ApiProblem({ code: 'package_empty' }, 422)
  return size > largestPackage ? new ApiProblem({ code: 'file_too_large' }, 413) : undefined
}

export function packageProblemText(error: unknown, i18n: I18n): string {
  if (error instanceof FileUnreadable)
    return i18n._(msg`The file changed on the disk. Choose it again.`)
  if (error instanceof NetworkProblem)
    return i18n._(
      msg`The connection was lost during the upload. Your file is still selected: try again.`,
    )
  const limit = megabytes(largestPackage)
  if (error instanceof ApiProblem) {
    switch (error.code) {
      case 'package_type':
        return i18n._(msg`This is neither a .zip nor a .ma file.`)
      case 'package_empty':
        return i18n._(msg`The file is empty.`)
      case 'file_too_large':
        return i18n._(msg`The file is larger than ${limit} MB, the limit for a package.`)
    }
  }
  return problemText(error, i18n)
}
