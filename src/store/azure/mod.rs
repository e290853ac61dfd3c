//! Azure Table Storage, Azure Cosmos DB for Table and Azurite. The only user of the Azure SDK.
