/** The calls that the API placed and that may still be up, by domain. */
export interface LiveCallStore {
  /**
   * Records a call and the moment (epoch milliseconds) by which the engine lists it if it is up. Returns `false`, and records
   * nothing, if the domain then had more than `limit`. A recorded call gets the new moment.
   */
  put(domain: string, uuid: string, showsBy: number, limit: number): Promise<boolean>
  /** Returns the moment of each recorded call of the domain, by uuid. */
  list(domain: string): Promise<ReadonlyMap<string, number>>
  /** Forgets calls. */
  remove(domain: string, uuids: readonly string[]): Promise<void>
}
