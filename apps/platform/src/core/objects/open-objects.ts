import { join } from 'node:path'
import type { Config } from '../config.ts'
import { openFolderObjects } from './folder-objects.ts'
import type { ObjectStore } from './object-store.ts'
import { openS3Objects } from './s3-objects.ts'

/** The object folder within the data folder. */
export const objectsFolder = (dataFolder: string): string => join(dataFolder, 'objects')

/** Where the settings say that objects are. */
export const openObjects = ({
  dataFolder,
  objects: address,
}: Pick<Config, 'dataFolder' | 'objects'>): Promise<ObjectStore> =>
  address
    ? openS3Objects({ address, stagingFolder: join(objectsFolder(dataFolder), 'staged') })
    : openFolderObjects(objectsFolder(dataFolder))
